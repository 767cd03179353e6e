#include "models/families/t5.h"

#include "engine/layers/relative_positions.h"
#include "models/config/attention_settings.h"

namespace bert {
namespace {

void read_t5(const JsonObject& fields, ModelConfig& config) { read_t5_layers(fields, "relu", config); }

}  // namespace

void read_t5_layers(const JsonObject& fields, const std::string& feed_forward_proj, ModelConfig& config) {
  constexpr std::string_view kGated = "gated-";
  config.head_size = static_cast<size_t>(fields.integer("d_kv", {.min = 1, .max = 65536}).value_or(64));
  config.query_pre_attn_scalar = 1;
  config.attention_bias = config.mlp_bias = config.norm_bias = false;
  require(fields, "relative_attention_num_buckets", static_cast<double>(RelativePositions::kBuckets));
  require(fields, "relative_attention_max_distance", 128.0);
  const std::string kind = fields.string("feed_forward_proj").value_or(feed_forward_proj);
  // The reference's classes also write what the kind means, and prefer that when they read.
  const auto own_activation = fields.string("dense_act_fn");
  config.gated_feed_forward = kind.starts_with(kGated);
  config.hidden_act = own_activation              ? *own_activation
                      : kind == "gated-gelu"      ? "gelu_new"
                      : config.gated_feed_forward ? kind.substr(kGated.size())
                                                  : kind;
  require_activation(fields, own_activation ? "dense_act_fn" : "feed_forward_proj", config.hidden_act);
  if (fields.has("is_gated_act")) config.gated_feed_forward = fields.nullable_boolean("is_gated_act").value_or(false);
}

constinit const Family t5_family = make_t5("t5", "T5", read_t5);

}  // namespace bert
