// The layers of Phi-3 and Phi-4: Llama's without biases, with queries, keys and values in one tensor, and both halves
// of the gate in one tensor.
#include "models/families/llama.h"

namespace bert {
namespace {

void read_phi3(const JsonObject& fields, ModelConfig& config) {
  refuse_unsaid_sight(fields);
  read_sight(fields, config);
  read_heads(fields, config, HeadSize::kOwn);
  read_rotary(fields, 10000, config);
  if (config.rotary.scaling != RotaryScaling::kNone) {
    refuse_setting(fields, "rope_scaling", "of another type", "\"default\": others are longrope in this family");
  }
  read_window(fields, std::nullopt, config);
}

constexpr Family make_phi3() {
  Family family = make_llama("phi3", "Phi3", read_phi3);
  family.tokenizer.json_reading = JsonReading::kAlwaysAsIs;
  family.names.query = family.names.key = family.names.value = "";
  family.names.qkv = "layers.{}.self_attn.qkv_proj";
  family.names.feed_forward_gate = "";
  family.names.feed_forward_up = "layers.{}.mlp.gate_up_proj";
  family.names.stacked_gate = Gate::Activated::kFirst;
  family.attention_bias = Bias::kNever;
  family.defaults.vocab_size = 32064;
  family.defaults.hidden_size = 3072;
  family.defaults.intermediate_size = 8192;
  family.defaults.max_position_embeddings = 4096;
  family.defaults.layer_norm_eps = 1e-5;
  family.defaults.pad_token_id = 32000;
  return family;
}

}  // namespace

constinit const Family phi3_family = make_phi3();

}  // namespace bert
