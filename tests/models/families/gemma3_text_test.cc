#include <gtest/gtest.h>

#include <vector>

#include "bert/error.h"
#include "bert/model.h"
#include "models/config/config.h"
#include "tests/models/own_heads_model.h"
#include "tests/support/compare.h"
#include "tests/support/environment.h"
#include "tests/support/isa.h"

namespace bert {
namespace {

using nlohmann::json;
using test::OwnHeadsModel;

const json kLocalAndGlobal = {{"model_type", "gemma3_text"}, {"layer_types", {"sliding_attention", "full_attention"}},
                              {"sliding_window", 8},         {"query_pre_attn_scalar", 9},
                              {"rope_theta", 5000},          {"rope_local_base_freq", 100}};

void expect_layer(const json& settings, const OwnHeadsModel::Sight& sight) {
  const test::TemporaryDirectory directory;
  const OwnHeadsModel tiny(OwnHeadsModel::Shape::kGemma3);
  tiny.write(directory, settings);
  const std::vector<int32_t> ids = test::some_ids(100);
  const TokenSequence one{ids, {}, {}};
  for (const char* isa : test::kKernelIsas) {
    if (!test::cpu_has(isa)) continue;
    const test::WithVariable variable("BERT_INFER_ISA", isa);
    const Model model = Model::load(directory.path().string());
    EXPECT_TRUE(test::within(3e-5, model.encode({&one, 1})[0].last_hidden_state, tiny.encode(ids, sight)))
        << isa << ", " << settings;
  }
}

// A window of 8 is the token and the 7 before it, or 4 tokens on each side.
TEST(Gemma3TextFamily, ComputesItsLayer) {
  expect_layer(kLocalAndGlobal, {.windows = {7, OwnHeadsModel::kUnlimited}, .thetas = {100, 5000}, .score_width = 9});
  json bidirectional = kLocalAndGlobal;
  bidirectional["use_bidirectional_attention"] = true;
  expect_layer(
      bidirectional,
      {.is_causal = false, .windows = {4, OwnHeadsModel::kUnlimited}, .thetas = {100, 5000}, .score_width = 9});
  bidirectional["sliding_window"] = 0;  // transformers saves a window of 1 so; each token attends only to itself
  expect_layer(
      bidirectional,
      {.is_causal = false, .windows = {0, OwnHeadsModel::kUnlimited}, .thetas = {100, 5000}, .score_width = 9});
}

TEST(Gemma3TextFamily, HasAGlobalLayerAmongSix) {
  const ModelConfig config = parse_config(R"({"model_type": "gemma3_text", "num_hidden_layers": 12})", "config.json");
  for (size_t layer = 0; layer < 12; ++layer) EXPECT_EQ(config.local_layers[layer], layer % 6 != 5) << layer;
  EXPECT_EQ(config.local_distance, 4095u);
  EXPECT_EQ(config.rotary.theta, 1000000);
  EXPECT_EQ(config.local_rotary.theta, 10000);
}

TEST(Gemma3TextFamily, RefusesWhatItWouldComputeOtherwise) {
  for (const char* setting : {R"("attn_logit_softcapping": 50.0)", R"("rope_scaling": {"rope_type": "linear"})",
                              R"("is_causal": false)", R"("sliding_window": 0)"}) {
    const std::string text = R"({"model_type": "gemma3_text", )" + std::string(setting) + "}";
    EXPECT_THROW(parse_config(text, "config.json"), Error) << setting;
  }
}

}  // namespace
}  // namespace bert
