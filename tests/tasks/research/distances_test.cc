// Tests the cosines by distance of rotary positions, sinusoids and windows, which follow from a configuration.
#include <gtest/gtest.h>

#include <cmath>

#include "bert/experiments.h"
#include "tests/models/config_of.h"

namespace bert {
namespace {

double mean_cosine(double theta, size_t pairs, size_t distance) {
  double sum = 0;
  for (size_t i = 0; i < pairs; ++i) {
    sum +=
        std::cos(static_cast<double>(distance) * std::pow(theta, -static_cast<double>(i) / static_cast<double>(pairs)));
  }
  return sum / static_cast<double>(pairs);
}

// ModernBERT-base has global layers with theta 160,000, and local layers with theta 10,000 that see 64 places.
TEST(Distances, OfLocalLayersEndAtTheirWindow) {
  const std::vector<DistanceCosines> parts = distance_cosines(test::config_of(R"("model_type": "modernbert")"));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_FALSE(parts[0].window);
  EXPECT_EQ(parts[0].layers.size(), 8u);
  EXPECT_EQ(parts[0].theta, 160000);
  EXPECT_EQ(parts[0].cosines.size(), 8192u);
  EXPECT_EQ(parts[1].window, 64u);
  EXPECT_EQ(parts[1].theta, 10000);
  EXPECT_EQ(parts[1].cosines.size(), 65u);
  for (const DistanceCosines& part : parts) {
    EXPECT_FALSE(part.text_length);
    ASSERT_EQ(part.frequencies.size(), 32u);
    for (const size_t distance : {size_t{0}, size_t{1}, size_t{10}, size_t{64}}) {
      EXPECT_NEAR(part.cosines[distance], mean_cosine(part.theta, 32, distance), 1e-5) << distance;
    }
  }
}

// At twice and four times the trained length, theta grows by (factor * length / trained - (factor - 1))^(64 / 62).
TEST(Distances, OfAThetaThatGrowsAreOfThreeLengths) {
  const std::vector<DistanceCosines> parts = distance_cosines(test::config_of(
      R"("model_type": "nomic_bert", "n_embd": 768, "rotary_scaling_factor": 2, "max_trained_positions": 2048)"));
  ASSERT_EQ(parts.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const size_t length = size_t{2048} << i;
    EXPECT_EQ(parts[i].text_length, length);
    EXPECT_EQ(parts[i].cosines.size(), length);
    const double theta = 1000 * std::pow(2.0 * static_cast<double>(1 << i) - 1, 64.0 / 62);
    EXPECT_NEAR(parts[i].theta / theta, 1, 1e-4);
    EXPECT_NEAR(parts[i].cosines[100], mean_cosine(theta, 32, 100), 1e-4);
  }
}

TEST(Distances, OfSinusoidsHaveNoLayers) {
  const std::vector<DistanceCosines> parts = distance_cosines(
      test::config_of(R"("model_type": "bert", "position_embedding_type": "sinusoidal", "hidden_size": 64,
                   "num_attention_heads": 4, "max_position_embeddings": 128)"));
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_TRUE(parts[0].layers.empty());
  EXPECT_EQ(parts[0].theta, 10000);
  EXPECT_EQ(parts[0].cosines.size(), 128u);
  EXPECT_NEAR(parts[0].cosines[9], mean_cosine(10000, 32, 9), 1e-6);
}

TEST(Distances, OfOtherPositionsAreNone) {
  for (const char* fields : {R"("model_type": "bert")", R"("model_type": "mpnet")",
                             R"("model_type": "bert", "position_embedding_type": "alibi")"}) {
    EXPECT_TRUE(distance_cosines(test::config_of(fields)).empty()) << fields;
  }
}

TEST(LayerReach, SumsTheWindowsUpToAGlobalLayer) {
  ScorePositions local, global;
  local.layers = {0, 1, 3};
  local.window = 5;
  global.layers = {2};
  const ScorePositions parts[] = {local, global};
  const std::vector<LayerReach> layers = layer_reach(parts);
  ASSERT_EQ(layers.size(), 4u);
  EXPECT_EQ(layers[0].reach, 5u);
  EXPECT_EQ(layers[1].reach, 10u);
  EXPECT_FALSE(layers[2].window);
  EXPECT_FALSE(layers[2].reach);
  EXPECT_EQ(layers[3].window, 5u);
  EXPECT_FALSE(layers[3].reach);
  EXPECT_TRUE(layer_reach({}).empty());
}

}  // namespace
}  // namespace bert
