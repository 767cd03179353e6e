#include "models/families/gte.h"

namespace bert {
namespace {

void read_new(const JsonObject& fields, ModelConfig& config) {
  read_gte_types(fields, config);
  choice(fields, "position_embedding_type", {"rope"});
  choice(fields, "layer_norm_type", {"layer_norm"});
  require(fields, "pack_qkv", true);
  require(fields, "logn_attention_scale", false);
  read_rotary(fields, 10000, config);
}

constexpr Family make_new() {
  Family family = make_gte("new", "New", read_new);
  family.tokenizer.json_reading = JsonReading::kNoClass;
  family.defaults.max_position_embeddings = 2048;
  return family;
}

}  // namespace

constinit const Family new_family = make_new();

}  // namespace bert
