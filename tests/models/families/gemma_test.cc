#include "tests/models/families/own_heads_check.h"

namespace bert {
namespace {

using test::OwnHeadsModel;

TEST(GemmaFamily, ComputesItsLayer) {
  const nlohmann::json settings = {{"model_type", "gemma"}, {"rope_theta", 700}};
  test::check_own_heads(OwnHeadsModel::Shape::kGemma, settings, {.thetas = {700, 700}});
  nlohmann::json both_ways = settings;
  both_ways["use_bidirectional_attention"] = true;
  both_ways["hidden_act"] = "gelu";  // Gemma means the approximate GELU
  test::check_own_heads(OwnHeadsModel::Shape::kGemma, both_ways, {.is_causal = false, .thetas = {700, 700}});
}

TEST(GemmaFamily, RefusesWhatItWouldComputeOtherwise) {
  test::expect_refused("gemma", {R"("auto_map": {"AutoModel": "modeling.GemmaModel"})"});
  EXPECT_THROW(parse_config(R"({"model_type": "gemma"})", "config.json"), Error);  // lacks num_key_value_heads
}

}  // namespace
}  // namespace bert
