// Llama, Llama 2 and 3, and embedding models with their layers.
#include "models/families/llama.h"

namespace bert {
namespace {

void read_llama(const JsonObject& fields, ModelConfig& config) {
  refuse_unsaid_sight(fields);
  read_sight(fields, config);
  read_eurobert_layers(fields, config, HeadSize::kOwn);
  read_rotary(fields, 10000, config);
}

constexpr Family make_llama_family() {
  Family family = make_llama("llama", "Llama", read_llama);
  family.tokenizer.unapplied_text = UnappliedText::kLlama;
  family.up_bias = Bias::kFeedForward;
  family.down_bias = Bias::kFeedForward;
  return family;
}

}  // namespace

void read_window(const JsonObject& fields, std::optional<int64_t> otherwise, ModelConfig& config) {
  const auto window =
      fields.has("sliding_window") ? fields.nullable_integer("sliding_window", {.min = 1, .max = 1 << 20}) : otherwise;
  if (!window) return;
  config.local_distance = static_cast<size_t>(*window) - (config.causal_attention ? 1 : 0);
  config.local_layers.assign(config.num_hidden_layers, true);
  config.local_rotary = config.rotary;
}

constinit const Family llama_family = make_llama_family();

}  // namespace bert
