#include "models/sentence/pooling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "bert/error.h"

namespace bert {
namespace {

using Floats = std::vector<float>;

using TokenPlaces = std::vector<int32_t>;

TokenPlaces places_of(size_t tokens) {
  TokenPlaces places(tokens);
  std::iota(places.begin(), places.end(), 0);
  return places;
}

// Pools three tokens of two values. A gap after each row must not be read.
Floats pooled(PoolingMode mode, const TokenPlaces& places = {0, 1, 2}) {
  const Floats memory = {1, -2, 1e9f, 4, -8, 1e9f, 1, 1, 1e9f};
  Floats vector(2);
  pool_tokens(mode, {memory.data(), 3, 2, 3}, places, vector);
  return vector;
}

TEST(PoolTokens, TakesTheFirstToken) { EXPECT_EQ(pooled(PoolingMode::kCls), (Floats{1, -2})); }
TEST(PoolTokens, TakesTheMean) { EXPECT_EQ(pooled(PoolingMode::kMean), (Floats{2, -3})); }
TEST(PoolTokens, TakesTheLargest) { EXPECT_EQ(pooled(PoolingMode::kMax), (Floats{4, 1})); }

TEST(PoolTokens, TakesTheLastToken) { EXPECT_EQ(pooled(PoolingMode::kLastToken), (Floats{1, 1})); }

// The expected values are the sums 6 and -9 divided by the root of 3.
TEST(PoolTokens, DividesTheSumByTheRootOfTheTokensNumber) {
  const double root = std::sqrt(3.0);
  EXPECT_EQ(pooled(PoolingMode::kMeanSqrtLength),
            (Floats{static_cast<float>(6 / root), static_cast<float>(-9 / root)}));
}

// The expected values are (1·1 + 2·4 + 3·1) / 6 and (1·-2 + 2·-8 + 3·1) / 6.
TEST(PoolTokens, WeighsTokensByTheirPlace) { EXPECT_EQ(pooled(PoolingMode::kWeightedMean), (Floats{2, -2.5})); }

// A token's weight is its distance from the first token plus 1, and masked tokens count: the weights are 1, 3 and 4.
TEST(PoolTokens, CountsMaskedTokensPlaces) {
  EXPECT_EQ(pooled(PoolingMode::kWeightedMean, {5, 7, 8}), (Floats{17.0f / 8, -22.0f / 8}));
}

TEST(PoolTokens, KeepsASingleTokenAsItIs) {
  const Floats memory = {0.1f, -0.3f, 1e-40f};
  for (const PoolingMode mode : {PoolingMode::kCls, PoolingMode::kMean, PoolingMode::kMax, PoolingMode::kMeanSqrtLength,
                                 PoolingMode::kWeightedMean, PoolingMode::kLastToken}) {
    Floats vector(3);
    pool_tokens(mode, {memory.data(), 1, 3, 3}, places_of(1), vector);
    EXPECT_EQ(vector, memory);
  }
}

// In float32 the sum of a million tenths has an error of a percent.
TEST(PoolTokens, SumsInFloat64) {
  const Floats memory(1'000'000, 0.1f);
  Floats vector(1);
  pool_tokens(PoolingMode::kMean, {memory.data(), memory.size(), 1, 1}, places_of(memory.size()), vector);
  EXPECT_EQ(vector[0], 0.1f);
}

TEST(PoolTokens, TakesColumnsOfAnyNumber) {
  for (const size_t cols : {1, 15, 16, 17, 35}) {
    Floats memory(2 * cols), vector(cols), expected(cols);
    for (size_t c = 0; c < cols; ++c) {
      memory[c] = static_cast<float>(c);
      memory[cols + c] = 3;
      expected[c] = (static_cast<float>(c) + 3) / 2;
    }
    pool_tokens(PoolingMode::kMean, {memory.data(), 2, cols, cols}, places_of(2), vector);
    EXPECT_EQ(vector, expected) << cols;
  }
}

TEST(UndeclaredPooling, SaysWhatIsDoneWithoutModulesJson) {
  EXPECT_EQ(undeclared_pooling({.declared = true}), "");
  const std::string start = "the model has no modules.json, so its files do not say how to pool: ";
  EXPECT_EQ(undeclared_pooling({}), start + "mean over all tokens, not normalised");
  EXPECT_EQ(undeclared_pooling({.modes = {PoolingMode::kLastToken}, .normalize = true}),
            start + "the last token, as of a causal language model, normalised");
}

TEST(Normalize, GivesUnitLength) {
  Floats vector = {3, -4};
  normalize(vector);
  EXPECT_EQ(vector, (Floats{0.6f, -0.8f}));
}

TEST(Normalize, KeepsZerosAndStandsHugeValues) {
  Floats zeros = {0, 0};
  normalize(zeros);
  EXPECT_EQ(zeros, (Floats{0, 0}));
  Floats huge = {std::numeric_limits<float>::max(), 0};  // the square overflows float32
  normalize(huge);
  EXPECT_EQ(huge, (Floats{1, 0}));
}

TEST(CosineSimilarity, IsThatOfTheAngle) {
  EXPECT_DOUBLE_EQ(cosine_similarity(Floats{1, 0}, Floats{5, 0}), 1);
  EXPECT_DOUBLE_EQ(cosine_similarity(Floats{1, 0}, Floats{0, 2}), 0);
  EXPECT_DOUBLE_EQ(cosine_similarity(Floats{1, 2}, Floats{-1, -2}), -1);
  EXPECT_NEAR(cosine_similarity(Floats{1, 0}, Floats{1, 1}), std::sqrt(0.5), 1e-15);
}

// In float64, the dot product divided by the norms' product is 1 + 2^-52.
TEST(CosineSimilarity, IsNeverPastOne) {
  EXPECT_EQ(cosine_similarity(Floats{3, 2}, Floats{3, 2}), 1);
  EXPECT_EQ(cosine_similarity(Floats{3, 2}, Floats{-3, -2}), -1);
}

TEST(CosineSimilarity, IsZeroForAVectorOfZeros) { EXPECT_EQ(cosine_similarity(Floats{0, 0}, Floats{1, 2}), 0); }

TEST(CosineSimilarity, RefusesVectorsOfOtherSizes) { EXPECT_THROW(cosine_similarity(Floats{1}, Floats{1, 2}), Error); }

// The expected values are calculated by hand.
TEST(Similarity, IsTheDotProductOrANegativeDistance) {
  const Floats a = {1, 2}, b = {4, -2};
  EXPECT_EQ(similarity(SimilarityFunction::kDot, a, b), 0);
  EXPECT_EQ(similarity(SimilarityFunction::kDot, a, a), 5);
  EXPECT_EQ(similarity(SimilarityFunction::kEuclidean, a, b), -5);
  EXPECT_EQ(similarity(SimilarityFunction::kManhattan, a, b), -7);
  EXPECT_EQ(similarity(SimilarityFunction::kCosine, a, b), 0);
  EXPECT_FALSE(std::signbit(similarity(SimilarityFunction::kEuclidean, a, a)));
  EXPECT_THROW(similarity(SimilarityFunction::kManhattan, a, Floats{1}), Error);
}

}  // namespace
}  // namespace bert
