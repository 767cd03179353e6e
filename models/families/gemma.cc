#include "models/families/gemma.h"

namespace bert {
namespace {

void read_gemma(const JsonObject& fields, ModelConfig& config) {
  refuse_unsaid_sight(fields);
  read_sight(fields, config);
  read_gemma_layers(fields, config);
  if (config.hidden_act == "gelu") config.hidden_act = "gelu_pytorch_tanh";  // as in the reference
}

}  // namespace

void read_gemma_layers(const JsonObject& fields, ModelConfig& config) {
  config.attention_bias = fields.boolean("attention_bias").value_or(false);
  config.head_size = 256;
  read_written_heads(fields, config);
  read_rotary(fields, 10000, config);
}

constinit const Family gemma_family = make_gemma("gemma", "Gemma", read_gemma);

}  // namespace bert
