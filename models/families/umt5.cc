// umT5: mT5 with a table of relative positions in each layer.
#include "models/families/t5.h"

namespace bert {
namespace {

void read_umt5(const JsonObject& fields, ModelConfig& config) { read_t5_layers(fields, "gated-gelu", config); }

constexpr Family make_umt5() {
  Family family = make_t5("umt5", "UMT5", read_umt5);
  family.tokenizer.json_reading = JsonReading::kAlwaysAsIs;
  family.names.relative_bias = "encoder.block.{}.layer.0.SelfAttention.relative_attention_bias";
  family.defaults.vocab_size = 250112;
  family.defaults.num_hidden_layers = 8;
  family.defaults.num_attention_heads = 6;
  family.defaults.intermediate_size = 1024;
  return family;
}

}  // namespace

constinit const Family umt5_family = make_umt5();

}  // namespace bert
