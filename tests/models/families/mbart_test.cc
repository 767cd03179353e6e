#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "tests/models/families/pre_norm_model.h"

namespace bert {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 9> kNames = {
    {{"embeddings.word_embeddings", "shared"},
     {"embeddings.position_embeddings", "encoder.embed_positions"},
     {"encoder.layer.", "encoder.layers."},
     {"attention.self.query", "self_attn.q_proj"},
     {"attention.self.key", "self_attn.k_proj"},
     {"attention.self.value", "self_attn.v_proj"},
     {"attention.output.dense", "self_attn.out_proj"},
     {"intermediate.dense", "fc1"},
     {"output.dense", "fc2"}}};

// The first two rows of the table of positions belong to no token.
TEST(MBartFamily, HasANormBeforeEachBlockAndAfterAllLayers) {
  const test::PreNormModel model({.before_attention = "self_attn_layer_norm",
                                  .before_feed_forward = "final_layer_norm",
                                  .last = "encoder.layer_norm",
                                  .embeddings = "encoder.layernorm_embedding",
                                  .has_types = false},
                                 2);
  const nlohmann::json settings = {{"model_type", "mbart"},
                                   {"architectures", {"MBartForConditionalGeneration"}},
                                   {"d_model", test::PreNormModel::kHidden},
                                   {"encoder_layers", test::PreNormModel::kLayers},
                                   {"encoder_attention_heads", test::PreNormModel::kHeads},
                                   {"encoder_ffn_dim", test::PreNormModel::kInner},
                                   {"max_position_embeddings", test::PreNormModel::kPositions - 2}};
  model.check(settings, [](test::TestTensor& tensor) {
    for (const auto& [from, to] : kNames) {
      const size_t at = tensor.name.find(from);
      if (at != std::string::npos) tensor.name.replace(at, std::string(from).size(), to);
    }
    tensor.name = "model." + tensor.name;
  });
}

}  // namespace
}  // namespace bert
