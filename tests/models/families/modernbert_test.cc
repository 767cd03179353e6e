#include <gtest/gtest.h>

#include <string>

#include "bert/error.h"
#include "models/config/config.h"
#include "tests/models/family_check.h"

namespace bert {
namespace {

BERT_FAMILY_TESTS(ModernBertFamily, "modernbert", "modernbert-biases", "modernbert-masked-lm",
                  "modernbert-sequence-cls", "modernbert-sequence-mean", "modernbert-token")

ModelConfig modernbert(const std::string& fields) {
  return parse_config(R"({"model_type": "modernbert", "num_hidden_layers": 4)" + fields + "}", "config.json");
}

// Files of 2024 have global_attn_every_n_layers and two thetas. Files of 2026 have a list and rope_parameters.
TEST(ModernBertFamily, ReadsOlderAndNewerSettings) {
  const ModelConfig older = modernbert(
      R"(, "global_attn_every_n_layers": 3, "local_attention": 128,
         "global_rope_theta": 160000.0, "local_rope_theta": 10000.0)");
  const ModelConfig newer = modernbert(
      R"(, "layer_types": ["full_attention", "sliding_attention", "sliding_attention", "full_attention"],
         "rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 160000.0},
                             "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}})");
  for (const ModelConfig& config : {older, newer, modernbert("")}) {
    EXPECT_EQ(config.local_layers, (std::vector<bool>{false, true, true, false}));
    EXPECT_EQ(config.local_distance, 64u);
    EXPECT_EQ(config.rotary.theta, 160000);
    EXPECT_EQ(config.local_rotary.theta, 10000);
    EXPECT_EQ(config.position_embedding_type, "rotary");
    EXPECT_FALSE(config.norm_bias);
    EXPECT_TRUE(config.decoder_bias);
  }
}

TEST(ModernBertFamily, RefusesWhatItDoesNotHave) {
  const auto refused = [](const std::string& fields, const std::string& expected) {
    try {
      modernbert(fields);
      ADD_FAILURE() << fields;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), "'config.json': " + expected);
    }
  };
  refused(R"(, "classifier_pooling": "max")", "classifier_pooling 'max' is not supported, expected 'cls' or 'mean'");
  refused(R"(, "layer_types": ["full_attention"])",
          R"(layer_types: found ["full_attention"], expected 4 names: as many as layers)");
  refused(R"(, "rope_scaling": {"rope_type": "yarn", "factor": 4.0})",
          "rope_scaling.rope_type 'yarn' is not supported, expected "
          "'default' or 'linear' or 'ntk' or 'dynamic'");
  refused(R"(, "head_dim": 32)", "head_dim 32 is not supported, expected 64: hidden_size / num_attention_heads");
}

}  // namespace
}  // namespace bert
