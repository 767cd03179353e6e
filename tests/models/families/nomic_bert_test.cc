#include <gtest/gtest.h>

#include "bert/error.h"
#include "models/config/config.h"
#include "tests/models/family_check.h"

namespace bert {
namespace {

BERT_FAMILY_TESTS(NomicBertFamily, "nomic-bert")

// Those that the reference library writes without the names of the authors.
TEST(NomicBertFamily, ReadsTheNewerNames) {
  BERT_TEST_DATA_OR_SKIP(folder, "family_modern/nomic-bert");
  test::check_same_model(folder, [](test::FamilyFiles& files) {
    files.split("attn.Wqkv", {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"});
    files.rename("encoder.layers.", "layers.");
    files.rename("attn.out_proj", "self_attn.o_proj");
    files.rename("emb_ln", "embeddings.LayerNorm");
    files.rename("fc11", "up_proj");
    files.rename("fc12", "gate_proj");
    files.rename("fc2", "down_proj");
    files.rename("norm1", "post_attention_layernorm");
    files.rename("norm2", "post_mlp_layernorm");
  });
}

nlohmann::json older_config() {
  return {{"model_type", "nomic_bert"},
          {"activation_function", "swiglu"},
          {"n_embd", 36},
          {"n_head", 3},
          {"n_layer", 3},
          {"n_inner", 58},
          {"n_positions", 128},
          {"vocab_size", 127},
          {"type_vocab_size", 2},
          {"layer_norm_epsilon", 1e-12},
          {"rotary_emb_base", 1000},
          {"rotary_emb_fraction", 1.0},
          {"rotary_emb_interleaved", false},
          {"rotary_emb_scale_base", nullptr},
          {"rotary_scaling_factor", nullptr},
          {"prenorm", false},
          {"qkv_proj_bias", false},
          {"mlp_fc1_bias", false},
          {"mlp_fc2_bias", false}};
}

TEST(NomicBertFamily, ReadsTheConfigurationOfTheAuthors) {
  BERT_TEST_DATA_OR_SKIP(folder, "family_modern/nomic-bert");
  test::check_same_model(folder, [](test::FamilyFiles& files) { files.config = older_config(); });
}

TEST(NomicBertFamily, RefusesWhatItDoesNotHave) {
  for (const auto& [field, value] : {std::pair<std::string, nlohmann::json>{"activation_function", "gelu"},
                                     {"rotary_emb_interleaved", true},
                                     {"rotary_emb_fraction", 0.5},
                                     {"prenorm", true},
                                     {"num_experts", 8}}) {
    nlohmann::json config = older_config();
    config[field] = value;
    EXPECT_THROW(parse_config(config.dump(), "config.json"), Error) << field;
  }
}

TEST(NomicBertFamily, ReadsThatThetaGrowsWithTheLength) {
  nlohmann::json config = older_config();
  config["rotary_scaling_factor"] = 2;
  config["max_trained_positions"] = 64;
  const RotaryConfig rotary = parse_config(config.dump(), "config.json").rotary;
  EXPECT_EQ(rotary.scaling, RotaryScaling::kDynamic);
  EXPECT_EQ(rotary.factor, 2);
  EXPECT_EQ(rotary.trained_length, 64u);
  EXPECT_EQ(rotary.theta, 1000);
}

// Where theta grows, the reference divides by the head's size less 2; an odd number of numbers has no pairs.
TEST(NomicBertFamily, RefusesHeadsThatCannotBeRotated) {
  const auto refusal = [](nlohmann::json config, int hidden) {
    config["n_embd"] = hidden;
    config["n_head"] = 2;
    try {
      parse_config(config.dump(), "config.json");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  nlohmann::json config = older_config();
  EXPECT_EQ(refusal(config, 4), "");
  EXPECT_EQ(refusal(config, 6),
            "'config.json': n_embd 6 is not supported, expected 2 (n_head) times an even number: the heads have "
            "rotary positions");
  config["rotary_scaling_factor"] = 2;
  EXPECT_EQ(refusal(config, 8), "");
  EXPECT_EQ(refusal(config, 4),
            "'config.json': n_embd 4 is not supported, expected 2 (n_head) times an even number of at least 4: the "
            "heads have rotary positions");
}

}  // namespace
}  // namespace bert
