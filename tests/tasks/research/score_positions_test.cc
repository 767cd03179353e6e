// Tests how positions change attention scores by distance. The expected numbers for learned positions are computed by
// numpy 2.4 in float64 from the models' weights, with the buckets of transformers 5.23.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "bert/explore.h"
#include "tests/models/config_of.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

float value_at(const DistanceBias& bias, const std::vector<float>& values, size_t head, int distance) {
  return values[head * (2 * bias.farthest + 1) + bias.farthest + static_cast<size_t>(distance)];
}

// In ModernBERT-base the layers 0, 3, 6, … are global, with theta 160,000. The others see 64 places, with theta 10,000.
TEST(ScorePositions, OfRotaryPositionsComeFromTheConfiguration) {
  const ModelConfig config = test::config_of(R"("model_type": "modernbert")");
  EXPECT_TRUE(has_score_formula(config));
  const std::vector<ScorePositions> parts = score_positions(config);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].layers, (std::vector<size_t>{0, 3, 6, 9, 12, 15, 18, 21}));
  EXPECT_FALSE(parts[0].window);
  EXPECT_EQ(parts[1].layers.size(), 14u);
  EXPECT_EQ(parts[1].window, 64u);
  for (const auto& [part, theta] : {std::pair{&parts[0], 160000.0}, {&parts[1], 10000.0}}) {
    ASSERT_EQ(part->frequencies.size(), 32u);
    for (size_t i = 0; i < 32; ++i) {
      EXPECT_NEAR(part->frequencies[i] * std::pow(theta, static_cast<double>(i) / 32), 1, 1e-6) << i;
    }
  }
}

// At twice the trained length, theta grows by (2 * 2 - (2 - 1))^(64 / 62).
TEST(ScorePositions, OfAThetaThatGrowsDependOnTheText) {
  const ModelConfig config = test::config_of(R"("model_type": "nomic_bert", "n_embd": 768, "rotary_scaling_factor": 2,
                                          "max_trained_positions": 2048)");
  const auto theta = [&](size_t length) {
    return std::pow(double{score_positions(config, length).front().frequencies[1]}, -32);
  };
  EXPECT_NEAR(theta(2048), 1000, 1e-2);
  EXPECT_NEAR(theta(4096), 1000 * std::pow(3, 64.0 / 62), 1e-1);
}

TEST(ScorePositions, OfAlibiAreItsSlopes) {
  const std::vector<ScorePositions> parts = score_positions(
      test::config_of(R"("model_type": "bert", "position_embedding_type": "alibi", "num_attention_heads": 4,
                   "hidden_size": 64, "num_hidden_layers": 2)"));
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].layers, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(parts[0].slopes, (std::vector<float>{1.0f / 4, 1.0f / 16, 1.0f / 64, 1.0f / 256}));
}

TEST(ScorePositions, OfAPositionTableAreNone) {
  EXPECT_TRUE(score_positions(test::config_of(R"("model_type": "bert")")).empty());
  EXPECT_FALSE(has_score_formula(test::config_of(R"("model_type": "bert")")));
}

TEST(ScorePositions, ThatAreLearnedNeedTheWeights) {
  const ModelConfig config = test::config_of(R"("model_type": "mpnet")");
  EXPECT_FALSE(has_score_formula(config));
  EXPECT_EQ(test::refusal(ErrorCode::kNotFound, [&] { score_positions(config); }),
            "positions relative_bias are learned, so they are in the model's weights");
}

TEST(ScorePositions, OfBucketsAreTheirNumbers) {
  BERT_TEST_DATA_OR_SKIP(data, "family/mpnet");
  const std::vector<ScorePositions> parts = score_positions(Model::load(data.string()));
  ASSERT_EQ(parts.size(), 1u);
  const DistanceBias& bias = *parts[0].bias;
  EXPECT_EQ(bias.farthest, 91u);
  EXPECT_TRUE(bias.spread.empty());
  EXPECT_EQ(value_at(bias, bias.values, 1, -91), 0.42500693f);
  EXPECT_EQ(value_at(bias, bias.values, 1, -8), 0.37067804f);
  EXPECT_EQ(value_at(bias, bias.values, 1, 0), 0.66158265f);
  EXPECT_EQ(value_at(bias, bias.values, 1, 1), -1.288993f);
  EXPECT_EQ(value_at(bias, bias.values, 1, 20), 0.06912422f);
}

struct BiasOfVectors {
  size_t layer, head;
  int distance;
  double value, spread;
};

void check_bias_of_vectors(const std::string& model, size_t farthest, const std::vector<BiasOfVectors>& expected) {
  const std::vector<ScorePositions> parts = score_positions(Model::load(model));
  for (const BiasOfVectors& one : expected) {
    ASSERT_EQ(parts[one.layer].layers, std::vector<size_t>{one.layer});
    const DistanceBias& bias = *parts[one.layer].bias;
    EXPECT_EQ(bias.farthest, farthest);
    EXPECT_NEAR(value_at(bias, bias.values, one.head, one.distance), one.value, 1e-6) << one.head << one.distance;
    EXPECT_NEAR(value_at(bias, bias.spread, one.head, one.distance), one.spread, 1e-6) << one.head << one.distance;
  }
}

TEST(ScorePositions, OfVectorsAreProductsWithTheBiases) {
  BERT_TEST_DATA_OR_SKIP(data, "family/bert-relative-key-query");
  check_bias_of_vectors(data.string(), 39,
                        {{1, 0, -39, -0.138511776, 0.853766564},
                         {1, 0, 3, 0.033557861, 0.585873782},
                         {1, 2, 39, 0.009782331, 0.579585143},
                         {1, 1, 0, 0.001154140, 0.541499741}});
}

TEST(ScorePositions, OfDisentangledAttentionAreOfBothTerms) {
  BERT_TEST_DATA_OR_SKIP(data, "family_modern/deberta-v2");
  check_bias_of_vectors(data.string(), 128,
                        {{2, 0, -40, 0.047691035, 1.019169530},
                         {2, 0, 3, 0.181500844, 1.100408357},
                         {2, 2, 100, -0.034172742, 0.954874026},
                         {2, 1, -128, 0.074326004, 1.132431505}});
}

TEST(ScorePositions, AreReadWithoutWeights) {
  const test::TemporaryDirectory directory;
  directory.write("config.json", R"({"model_type": "modernbert"})");
  const Architecture model = load_architecture(directory.path().string());
  EXPECT_FALSE(model.has_weights);
  EXPECT_EQ(model.config.local_distance, 64u);
  directory.write("model.safetensors", "");
  EXPECT_TRUE(load_architecture(directory.path().string()).has_weights);
}

}  // namespace
}  // namespace bert
