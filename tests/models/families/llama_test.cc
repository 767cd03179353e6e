#include "tests/models/families/own_heads_check.h"

namespace bert {
namespace {

using test::OwnHeadsModel;

TEST(LlamaFamily, IsCausalUnlessItsFileSaysOtherwise) {
  const nlohmann::json settings = {{"model_type", "llama"}, {"rope_theta", 700}};
  test::check_own_heads(OwnHeadsModel::Shape::kLlama, settings, {.thetas = {700, 700}});
  nlohmann::json both_ways = settings;
  both_ways["is_causal"] = false;
  both_ways["auto_map"] = {{"AutoModel", "modeling.LlamaModel"}};
  test::check_own_heads(OwnHeadsModel::Shape::kLlama, both_ways, {.is_causal = false, .thetas = {700, 700}});
}

// A file may have biases in the attention and in the feed-forward block. Biases of 0 change no bit.
TEST(LlamaFamily, ReadsBiasesThatItsFileHas) {
  OwnHeadsModel tiny(OwnHeadsModel::Shape::kLlama);
  const test::TemporaryDirectory without, with;
  tiny.write(without, {{"model_type", "llama"}});
  const auto of_layer = [](size_t layer, const char* part) {
    return "layers." + std::to_string(layer) + "." + part + "_proj.bias";
  };
  for (size_t layer = 0; layer < OwnHeadsModel::kLayers; ++layer) {
    for (const auto& [part, size] : {std::pair{"self_attn.q", 24},
                                     {"self_attn.k", 12},
                                     {"self_attn.v", 12},
                                     {"self_attn.o", 12},
                                     {"mlp.gate", 20},
                                     {"mlp.up", 20},
                                     {"mlp.down", 12}}) {
      tiny.add_zeros(of_layer(layer, part), {static_cast<size_t>(size)});
    }
  }
  tiny.write(with, {{"model_type", "llama"}, {"attention_bias", true}, {"mlp_bias", true}});
  const std::vector<int32_t> ids = test::some_ids(9);
  EXPECT_TRUE(test::same_bits(test::encode_one(with, ids), test::encode_one(without, ids)));
}

TEST(LlamaFamily, ReadsTheFieldsOfItsConfiguration) {
  const ModelConfig config = parse_config(
      R"({"model_type": "llama", "hidden_size": 2048, "num_attention_heads": 32, "num_key_value_heads": 8, "rope_scaling":
          {"rope_type": "llama3", "factor": 32, "low_freq_factor": 1, "high_freq_factor": 4,
           "original_max_position_embeddings": 8192}})",
      "config.json");
  EXPECT_EQ(config.head_dim(), 64u);
  EXPECT_EQ(config.rotary.scaling, RotaryScaling::kLlama3);
  EXPECT_TRUE(config.causal_attention);
  EXPECT_EQ(config.vocab_size, 32000u);
}

TEST(LlamaFamily, RefusesWhatItWouldComputeOtherwise) {
  test::expect_refused("llama",
                       {R"("auto_map": {"AutoModel": "modeling.LlamaModel"})", R"("partial_rotary_factor": 0.5)",
                        R"("rope_scaling": {"rope_type": "longrope", "factor": 4})"});
}

}  // namespace
}  // namespace bert
