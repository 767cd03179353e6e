#include "tests/models/families/own_heads_check.h"

namespace bert {
namespace {

using test::OwnHeadsModel;

// A window of 8 is the token and the 7 before it, or 8 tokens on each side. Scores are capped at 0.5.
TEST(Gemma2Family, ComputesItsLayer) {
  const nlohmann::json settings = {
      {"model_type", "gemma2"}, {"sliding_window", 8}, {"query_pre_attn_scalar", 9}, {"attn_logit_softcapping", 0.5}};
  test::check_own_heads(OwnHeadsModel::Shape::kGemma2, settings,
                        {.windows = {7, OwnHeadsModel::kUnlimited}, .score_width = 9, .soft_cap = 0.5});
  nlohmann::json both_ways = settings;
  both_ways["is_causal"] = false;
  both_ways["attn_logit_softcapping"] = nullptr;
  both_ways["layer_types"] = {"full_attention", "sliding_attention"};
  test::check_own_heads(OwnHeadsModel::Shape::kGemma2, both_ways,
                        {.is_causal = false, .windows = {OwnHeadsModel::kUnlimited, 8}, .score_width = 9});
}

TEST(Gemma2Family, HasTheReferencesDefaults) {
  const ModelConfig config =
      parse_config(R"({"model_type": "gemma2", "num_hidden_layers": 4, "num_key_value_heads": 4})", "config.json");
  EXPECT_EQ(config.local_layers, (std::vector<bool>{true, false, true, false}));
  EXPECT_EQ(config.local_distance, 4095u);
  EXPECT_EQ(config.attention_soft_cap, 50);
  EXPECT_EQ(config.score_width(), 256u);
}

TEST(Gemma2Family, RefusesWhatItWouldComputeOtherwise) {
  test::expect_refused(
      "gemma2", {R"("use_bidirectional_attention": true)", R"("auto_map": {"AutoModel": "modeling.Gemma2Model"})",
                 R"("attn_logit_softcapping": -1, "num_key_value_heads": 2)"});
}

}  // namespace
}  // namespace bert
