// mT5: T5's later version with other defaults.
#include "models/families/t5.h"

namespace bert {
namespace {

void read_mt5(const JsonObject& fields, ModelConfig& config) { read_t5_layers(fields, "gated-gelu", config); }

constexpr Family make_mt5() {
  Family family = make_t5("mt5", "MT5", read_mt5);
  family.defaults.vocab_size = 250112;
  family.defaults.num_hidden_layers = 8;
  family.defaults.num_attention_heads = 6;
  family.defaults.intermediate_size = 1024;
  return family;
}

}  // namespace

constinit const Family mt5_family = make_mt5();

}  // namespace bert
