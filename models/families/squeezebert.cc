// SqueezeBERT: BERT's layers, whose dense layers are convolutions in groups, with a width of one token.
#include "models/config/attention_settings.h"
#include "models/families/bert.h"

namespace bert {
namespace {

constexpr std::string_view kSqueezeBertPrefixes[] = {"", "transformer.", "model.", "0.auto_model."};

void read_squeezebert(const JsonObject& fields, ModelConfig& config) {
  require(fields, "embedding_size", static_cast<double>(config.hidden_size));
  require(fields, "layer_norm_eps", 1e-12);  // the layers' norms use it whatever the file says
  const auto groups = [&](const char* name, int64_t otherwise) {
    const size_t count = positive_integer(fields, name, otherwise, 1024);
    if (config.hidden_size % count == 0 && config.intermediate_size % count == 0) return count;
    fields.refuse(name, "a number that divides hidden_size and intermediate_size");
  };
  config.dense_groups = {.query = groups("q_groups", 4),
                         .key = groups("k_groups", 4),
                         .value = groups("v_groups", 4),
                         .attention_output = groups("post_attention_groups", 1),
                         .up = groups("intermediate_groups", 4),
                         .down = groups("output_groups", 4)};
}

constexpr Family make_squeezebert() {
  Family family = kBert;
  family.model_type = "squeezebert";
  family.class_prefix = "SqueezeBert";
  family.tokenizer.usual = false;
  family.fields.position_embedding_type = nullptr;
  family.read_settings = read_squeezebert;
  family.weights.prefixes = kSqueezeBertPrefixes;
  family.names.query = "encoder.layers.{}.attention.query";
  family.names.key = "encoder.layers.{}.attention.key";
  family.names.value = "encoder.layers.{}.attention.value";
  family.names.attention_output = "encoder.layers.{}.post_attention.conv1d";
  family.names.norm_after_attention = "encoder.layers.{}.post_attention.layernorm";
  family.names.feed_forward_up = "encoder.layers.{}.intermediate.conv1d";
  family.names.feed_forward_down = "encoder.layers.{}.output.conv1d";
  family.names.norm_after_feed_forward = "encoder.layers.{}.output.layernorm";
  family.names.distance_embedding = "";
  return family;
}

}  // namespace

constinit const Family squeezebert_family = make_squeezebert();

}  // namespace bert
