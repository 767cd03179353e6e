#include "models/families/t5.h"

#include "engine/base/quote.h"
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
  config.gated_feed_forward = kind.starts_with(kGated);
  config.hidden_act = config.gated_feed_forward ? kind.substr(kGated.size()) : kind;
  require_activation(fields, "feed_forward_proj", config.hidden_act);
  if (kind == "gated-gelu") config.hidden_act = "gelu_new";
}

constinit const Family t5_family = make_t5("t5", "T5", read_t5);

}  // namespace bert
