// Mistral's layers (e5-mistral, SFR-Embedding-Mistral, Linq-Embed-Mistral): Llama's without biases, with one window for
// all layers.
#include "models/families/llama.h"

namespace bert {
namespace {

void read_mistral(const JsonObject& fields, ModelConfig& config) {
  refuse_unsaid_sight(fields);
  read_sight(fields, config);
  read_written_heads(fields, config);
  read_rotary(fields, 10000, config);
  read_window(fields, 4096, config);
}

constexpr Family make_mistral() {
  Family family = make_llama("mistral", "Mistral", read_mistral);
  family.tokenizer.json_reading = JsonReading::kAlwaysAsIs;
  family.attention_bias = Bias::kNever;
  family.defaults.intermediate_size = 14336;
  family.defaults.max_position_embeddings = 131072;
  return family;
}

}  // namespace

constinit const Family mistral_family = make_mistral();

}  // namespace bert
