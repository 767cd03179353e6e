#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "bert/error.h"
#include "bert/quantize.h"
#include "models/config/config.h"
#include "tests/models/families/privacy_model.h"
#include "tests/models/families/same_bits.h"
#include "tests/support/compare.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

// Returns odd sizes. Among the seeds are models with fewer key heads than query heads, heads wider than
// hidden / heads, limits that clamp values, and windows shorter than texts.
test::PrivacyModel::Shape privacy_shape(uint64_t seed) {
  const size_t key_heads = 1 + seed % 2;
  return {.hidden = 9 + 5 * seed,
          .heads = key_heads * (1 + seed % 3),
          .key_heads = key_heads,
          .size = 2 * (4 + seed % 7),
          .inner = 7 + 3 * seed,
          .experts = 3 + seed % 9,
          .top_k = 1 + seed % 3,
          .window = 1 + seed * seed / 8,
          .limit = seed % 4 == 0 ? 7 : 0.5,
          .whole_bounds = seed % 5 == 0};
}

std::vector<int32_t> privacy_ids(size_t count, uint64_t seed) {
  return test::seeded_ids(count, seed, test::PrivacyModel::kVocab);
}

// Tests 16 models. A model is left out if float32 rounding may change a token's choice of experts.
TEST(OpenAiPrivacyFilterFamily, IsWithinTwiceTheErrorOfFloat32) {
  size_t close = 0;
  double worst = 0;
  for (uint64_t seed = 1; seed <= 16; ++seed) {
    SCOPED_TRACE(seed);
    const test::PrivacyModel exact(seed, privacy_shape(seed));
    const test::TemporaryDirectory directory;
    exact.write(directory);
    const std::vector<int32_t> ids = privacy_ids(seed == 16 ? 150 : 1 + 3 * seed, seed);
    double margin, margin32;
    const std::vector<double> expected = exact.forward<double>(ids, margin);
    const std::vector<float> plain = exact.forward<float>(ids, margin32);
    if (margin < 1e-5) {
      ++close;
      continue;
    }
    const Model model = Model::load(directory.path().string(), {.threads = 2});
    const TokenSequence sequence{ids};
    const std::vector<float> found = model.encode({&sequence, 1})[0].last_hidden_state;
    worst = std::max(worst, test::error_by_that_of_plain_loops(found, plain, expected));
    const std::vector<float> logits = model.logits(Head::kTokenClassification, {&sequence, 1})[0].values;
    test::error_by_that_of_plain_loops(logits, exact.logits(plain), exact.logits(expected));
  }
  EXPECT_LE(close, 2u);
  std::cout << "largest error by that of plain float32 loops: " << worst << ", models with a close choice: " << close
            << "\n";
}

TEST(OpenAiPrivacyFilterFamily, HasTheSameBitsAloneInBatchesAndOnEveryInstructionSet) {
  const test::TemporaryDirectory directory, small;
  test::PrivacyModel(6, privacy_shape(6)).write(directory);
  quantize(directory.path().string(), small.path() / "int8", SmallWeights::kInt8);
  std::vector<std::vector<int32_t>> ids;
  std::vector<TokenSequence> all;
  for (size_t i = 0; i < 5; ++i) ids.push_back(privacy_ids(1 + 17 * i, i));
  for (const auto& one : ids) all.push_back({one});
  test::expect_same_bits_everywhere(directory.path(), all, Precision::kFloat32);
  const std::vector<EncodedSequence> first = test::expect_same_bits_everywhere(directory.path(), all, Precision::kInt8);
  // The directory that quantize writes equals the model loaded in 8 bits.
  const Model written = Model::load((small.path() / "int8").string(), {.threads = 1});
  EXPECT_TRUE(test::same_bits(written.encode({&all[4], 1})[0].last_hidden_state, first[4].last_hidden_state));
}

// A sink takes a part of each query's weights.
TEST(OpenAiPrivacyFilterFamily, GivesWeightsThatSumToLessThanOneInTheWindow) {
  const test::TemporaryDirectory directory;
  test::PrivacyModel::Shape shape = privacy_shape(3);
  shape.window = 2;
  test::PrivacyModel(3, shape).write(directory);
  const std::vector<int32_t> ids = privacy_ids(9, 1);
  const TokenSequence sequence{ids};
  const EncodedSequence found = Model::load(directory.path().string()).encode({&sequence, 1}, {.attentions = true})[0];
  for (size_t row = 0; row < found.attentions.size() / 9; ++row) {
    double sum = 0;
    for (size_t key = 0; key < 9; ++key) {
      const float weight = found.attentions[row * 9 + key];
      const size_t distance = key > row % 9 ? key - row % 9 : row % 9 - key;
      EXPECT_EQ(weight > 0, distance <= 2) << row << ", " << key;
      sum += static_cast<double>(weight);
    }
    EXPECT_LT(sum, 0.9999) << row;
  }
}

TEST(OpenAiPrivacyFilterFamily, CountsTheExpertsThatATokenUses) {
  const test::TemporaryDirectory directory;
  test::PrivacyModel(1, {.hidden = 14,
                         .heads = 2,
                         .key_heads = 1,
                         .size = 6,
                         .inner = 10,
                         .experts = 5,
                         .top_k = 2,
                         .window = 4,
                         .limit = 7})
      .write(directory);
  const size_t lengths[] = {1};
  const double attention = 2 * 14 * (12 + 6 + 6) + 2 * 12 * 14 + 4 * 12, experts = 2 * 14 * 5 + 2 * 2 * 3 * 14 * 10;
  EXPECT_EQ(Model::load(directory.path().string()).cost(lengths).flops, 3 * (attention + experts));
}

TEST(OpenAiPrivacyFilterFamily, ReadsTheFieldsOfItsConfiguration) {
  const auto config_of = [](const std::string& more) {
    return parse_config(R"({"model_type": "openai_privacy_filter", "num_key_value_heads": 2)" + more + "}",
                        "config.json");
  };
  const ModelConfig config = config_of("");
  EXPECT_EQ(config.head_dim(), 64u);
  EXPECT_EQ(config.experts->experts, 128u);
  EXPECT_EQ(config.experts->top_k, 4u);
  EXPECT_EQ(config.experts->gate_limit, 7.0);
  EXPECT_EQ(config.local_distance, 128u);
  EXPECT_EQ(config.labels.size(), 33u);
  EXPECT_EQ(config.labels[1], "B-account_number");
  EXPECT_EQ(config.rotary.scaling, RotaryScaling::kYarn);
  EXPECT_EQ(config.rotary.theta, 150000);
  EXPECT_EQ(config.rotary.trained_length, 4096u);
  EXPECT_FALSE(config.rotary.truncate);
  EXPECT_NEAR(config.rotary.attention_factor, 1.3465735902799727, 1e-12);  // 0.1 ln 32 + 1
  const auto refusal = [&](ErrorCode code, const std::string& more) {
    return test::error_of(code, [&] { config_of(more); });
  };
  EXPECT_EQ(refusal(ErrorCode::kUnsupported, R"(, "swiglu_alpha": 2)"),
            "'config.json': swiglu_alpha 2 is not supported, expected 1.702");
  EXPECT_NE(refusal(ErrorCode::kUnsupported, R"(, "rope_parameters": {"rope_type": "longrope"})").find("'longrope'"),
            std::string::npos);
  EXPECT_NE(refusal(ErrorCode::kInvalidFile, R"(, "num_experts_per_tok": 129)").find("num_experts_per_tok"),
            std::string::npos);
  EXPECT_NE(refusal(ErrorCode::kInvalidFile, R"(, "num_local_experts": 3)").find("num_local_experts"),
            std::string::npos);
}

}  // namespace
}  // namespace bert
