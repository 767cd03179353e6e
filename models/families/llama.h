// Llama's layers: Qwen3's without norms of queries and keys.
#pragma once

#include "models/families/qwen3.h"

namespace bert {

constexpr Family make_llama(std::string_view model_type, std::string_view class_prefix,
                            void (*read_settings)(const JsonObject&, ModelConfig&)) {
  Family family = make_qwen3(model_type, class_prefix, read_settings);
  family.tokenizer.same_classes = {};
  family.tokenizer.unapplied_text = UnappliedText::kNone;
  family.names.query_norm = "";
  family.names.key_norm = "";
  family.defaults.vocab_size = 32000;
  family.defaults.intermediate_size = 11008;
  family.defaults.max_position_embeddings = 2048;
  return family;
}

// Throws Error for a file without num_key_value_heads, for which the reference has a default of its own.
inline void read_written_heads(const JsonObject& fields, ModelConfig& config) {
  if (!fields.has("num_key_value_heads")) fields.refuse("num_key_value_heads", "a number");
  read_heads(fields, config, HeadSize::kOwn);
}

// Reads the sliding_window of all layers, or `otherwise` if the field is absent; null: no window. Call it after
// read_sight and read_rotary. A causal layer sees this many tokens, including the token itself; another layer sees this
// many on each side.
void read_window(const JsonObject& fields, std::optional<int64_t> otherwise, ModelConfig& config);

}  // namespace bert
