// Writes OwnHeadsModel's LFM2 shape into a directory, with LFM2's names.
#pragma once

#include <string>

#include "tests/models/own_heads_model.h"

namespace bert::test {

inline void write_lfm2(OwnHeadsModel tiny, const TemporaryDirectory& directory) {
  tiny.rename("norm.weight", "embedding_norm.weight");
  for (size_t layer = 0; layer < OwnHeadsModel::kLayers; ++layer) {
    const std::string at = "layers." + std::to_string(layer) + ".";
    tiny.rename(at + "input_layernorm.weight", at + "operator_norm.weight");
    tiny.rename(at + "post_attention_layernorm.weight", at + "ffn_norm.weight");
    tiny.rename(at + "mlp.gate_proj.weight", at + "feed_forward.w1.weight");
    tiny.rename(at + "mlp.up_proj.weight", at + "feed_forward.w3.weight");
    tiny.rename(at + "mlp.down_proj.weight", at + "feed_forward.w2.weight");
    if (layer == 0) continue;
    tiny.rename(at + "self_attn.q_norm.weight", at + "self_attn.q_layernorm.weight");
    tiny.rename(at + "self_attn.k_norm.weight", at + "self_attn.k_layernorm.weight");
    tiny.rename(at + "self_attn.o_proj.weight", at + "self_attn.out_proj.weight");
  }
  const nlohmann::json settings = {{"model_type", "lfm2"},
                                   {"layer_types", {"conv", "full_attention"}},
                                   {"block_auto_adjust_ff_dim", false},
                                   {"rope_theta", 10000},
                                   {"norm_eps", 1e-6}};
  tiny.write(directory, settings, "model.");
}

}  // namespace bert::test
