#include "tests/models/families/own_heads_check.h"

namespace bert {
namespace {

using test::OwnHeadsModel;

// In every layer, a window of 8 is the token and the 7 before it, or 8 tokens on each side.
TEST(MistralFamily, ComputesItsLayer) {
  const nlohmann::json settings = {{"model_type", "mistral"}, {"sliding_window", 8}};
  test::check_own_heads(OwnHeadsModel::Shape::kLlama, settings, {.windows = {7, 7}});
  nlohmann::json both_ways = settings;
  both_ways["is_causal"] = false;
  test::check_own_heads(OwnHeadsModel::Shape::kLlama, both_ways, {.is_causal = false, .windows = {8, 8}});
  nlohmann::json whole = settings;
  whole["sliding_window"] = nullptr;
  test::check_own_heads(OwnHeadsModel::Shape::kLlama, whole,
                        {.windows = {OwnHeadsModel::kUnlimited, OwnHeadsModel::kUnlimited}});
}

TEST(MistralFamily, HasTheReferencesWindowWhereItsFileHasNone) {
  const ModelConfig config = parse_config(R"({"model_type": "mistral", "num_key_value_heads": 8})", "config.json");
  EXPECT_EQ(config.local_distance, 4095u);
}

TEST(MistralFamily, RefusesWhatItWouldComputeOtherwise) {
  test::expect_refused("mistral", {R"("sliding_window": 0, "num_key_value_heads": 2)",
                                   R"("auto_map": {"AutoModel": "modeling.MistralModel"})"});
  EXPECT_THROW(parse_config(R"({"model_type": "mistral"})", "config.json"), Error);  // lacks num_key_value_heads
}

}  // namespace
}  // namespace bert
