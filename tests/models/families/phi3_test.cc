#include "tests/models/families/own_heads_check.h"

namespace bert {
namespace {

using test::OwnHeadsModel;

// Phi-3 stacks Llama's queries, keys and values in one tensor, and the two halves of the gate in another.
TEST(Phi3Family, IsLlamaWithStackedWeights) {
  OwnHeadsModel tiny(OwnHeadsModel::Shape::kLlama);
  const test::TemporaryDirectory llama, phi3;
  tiny.write(llama, {{"model_type", "llama"}, {"rms_norm_eps", 1e-5}});
  tiny.stack({"self_attn.q_proj.weight", "self_attn.k_proj.weight", "self_attn.v_proj.weight"},
             "self_attn.qkv_proj.weight");
  tiny.stack({"mlp.gate_proj.weight", "mlp.up_proj.weight"}, "mlp.gate_up_proj.weight");
  tiny.write(phi3, {{"model_type", "phi3"}, {"original_max_position_embeddings", 4096}});
  const std::vector<int32_t> ids = test::some_ids(30);
  EXPECT_TRUE(test::same_bits(test::encode_one(phi3, ids), test::encode_one(llama, ids)));
}

TEST(Phi3Family, RefusesWhatItWouldComputeOtherwise) {
  test::expect_refused("phi3",
                       {R"("rope_scaling": {"type": "longrope", "factor": 4})",
                        R"("rope_scaling": {"type": "yarn", "factor": 4})", R"("partial_rotary_factor": 0.75)"});
}

}  // namespace
}  // namespace bert
