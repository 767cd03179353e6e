#include "engine/layers/rotary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/layers/layer_setup.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

TEST(Rotary, HasFrequenciesFromOneDownByThePowersOfTheta) {
  const Rotary rotary(8, {.theta = 10000});
  EXPECT_TRUE(test::within(1e-7, rotary.frequencies(5), std::vector<double>{1, 0.1, 0.01, 0.001}));
}

TEST(Rotary, ScalesFrequencies) {
  EXPECT_TRUE(test::within(1e-7,
                           Rotary(4, {.theta = 100, .scaling = Rotary::Scaling::kLinear, .factor = 4}).frequencies(9),
                           std::vector<double>{0.25, 0.025}));
  // The expected frequencies are those of theta 400, divided by 4^(2/4).
  EXPECT_TRUE(test::within(1e-7,
                           Rotary(4, {.theta = 100, .scaling = Rotary::Scaling::kNtk, .factor = 4}).frequencies(9),
                           std::vector<double>{0.5, 0.025}));
}

TEST(Rotary, GrowsThetaWithATextPastTheTrainedLength) {
  const Rotary rotary(4, {.theta = 100, .scaling = Rotary::Scaling::kDynamic, .factor = 2, .trained_length = 10});
  EXPECT_TRUE(test::within(1e-7, rotary.frequencies(10), std::vector<double>{1, 0.1}));
  // 2 * 20 / 10 - 1 is 3, whose power of 4 / 2 is 9, so theta is 900.
  EXPECT_TRUE(test::within(1e-7, rotary.frequencies(20), std::vector<double>{1, 1 / 30.0}));
}

// The expected numbers are those of transformers 5.16, which computes theta in float32 if the length is a tensor, and
// those of its formula in Python's float64.
TEST(Rotary, GrowsThetaInFloat32) {
  Rotary::Options options = {.theta = 500, .scaling = Rotary::Scaling::kDynamic, .factor = 8, .trained_length = 100};
  EXPECT_EQ(Rotary(8, options).frequencies(103),
            (std::vector<float>{1, 0x1.9321b6p-3f, 0x1.3d6992p-5f, 0x1.f3d6fcp-8f}));
  options.wide_theta = true;
  EXPECT_EQ(Rotary(8, options).frequencies(103),
            (std::vector<float>{1, 0x1.9321b4p-3f, 0x1.3d699p-5f, 0x1.f3d6f4p-8f}));
}

// The expected numbers are those of transformers 5.24.
TEST(Rotary, DividesTheFrequenciesOfFewTurns) {
  Rotary::Options options = {
      .theta = 150000, .scaling = Rotary::Scaling::kYarn, .factor = 32, .trained_length = 4096, .whole_bounds = false};
  const std::vector<float> between = {1, 0.05081327259540558f, 0.0004564839182421565f, 4.099978468730114e-06f};
  EXPECT_TRUE(test::within(1e-11, Rotary(8, options).frequencies(9), between));
  options.whole_bounds = true;
  const std::vector<float> whole = {1, 0.05081327259540558f, 0.001331338076852262f, 4.099978468730114e-06f};
  EXPECT_TRUE(test::within(1e-10, Rotary(8, options).frequencies(9), whole));
}

// The expected numbers are those of transformers 5.24.
TEST(Rotary, DividesTheFrequenciesOfFewTurnsByTurns) {
  const Rotary rotary(16, {.theta = 500000,
                           .scaling = Rotary::Scaling::kLlama3,
                           .factor = 8,
                           .trained_length = 8192,
                           .fast = 4,
                           .slow = 1});
  const std::vector<float> expected = {1,
                                       0x1.8d2760p-3f,
                                       0x1.341190p-5f,
                                       0x1.ddee9ep-8f,
                                       0x1.132ba4p-11f,
                                       0x1.1f91f0p-15f,
                                       0x1.be2188p-18f,
                                       0x1.5a0f4ep-20f};
  EXPECT_TRUE(test::within(1e-10, rotary.frequencies(9), expected));
}

struct PlacedBatch {
  std::vector<int32_t> ids, types, positions, places;
  std::vector<size_t> row_starts = {0};
  void add(const std::vector<int32_t>& at) {
    for (const int32_t place : at) {
      ids.push_back(0);
      types.push_back(0);
      positions.push_back(0);
      places.push_back(place);
    }
    row_starts.push_back(ids.size());
  }
  RaggedBatch view() const { return {ids, types, positions, row_starts, places}; }
};

std::vector<float> table_of(const Rotary& rotary, const PlacedBatch& batch, size_t dim) {
  const size_t tokens = batch.view().tokens();
  test::LayerSetup setup({.tokens = tokens, .longest = tokens, .hidden = dim, .wide = dim, .head_dim = dim});
  std::vector<float> table(tokens * dim);
  rotary.fill_table(batch.view(), {table.data(), tokens, dim, dim}, setup.context());
  return table;
}

TEST(Rotary, TurnsEachTokenByItsPlaceInItsOwnText) {
  PlacedBatch batch;
  batch.add({0, 1, 4});
  batch.add({2});
  std::vector<double> expected;
  for (const double place : {0, 1, 4, 2}) {
    for (const double angle : {place, place / 10}) expected.push_back(std::cos(angle));
    for (const double angle : {place, place / 10}) expected.push_back(std::sin(angle));
  }
  EXPECT_TRUE(test::within(1e-6, table_of(Rotary(4, {.theta = 100}), batch, 4), expected));
}

TEST(Rotary, MultipliesSinesAndCosines) {
  PlacedBatch batch;
  batch.add({3});
  const Rotary rotary(2,
                      {.scaling = Rotary::Scaling::kYarn, .factor = 1, .trained_length = 99, .attention_factor = 1.5});
  EXPECT_TRUE(
      test::within(1e-6, table_of(rotary, batch, 2), std::vector<double>{1.5 * std::cos(3), 1.5 * std::sin(3)}));
}

// A long text in a batch does not change the others.
TEST(Rotary, CountsATextsOwnLength) {
  const Rotary rotary(4, {.theta = 100, .scaling = Rotary::Scaling::kDynamic, .factor = 2, .trained_length = 3});
  PlacedBatch both, shorter, longer;
  both.add({0, 1, 2});
  both.add({0, 1, 2, 3, 4, 5});
  shorter.add({0, 1, 2});
  longer.add({0, 1, 2, 3, 4, 5});
  std::vector<float> expected = table_of(rotary, shorter, 4);
  const std::vector<float> second = table_of(rotary, longer, 4);
  expected.insert(expected.end(), second.begin(), second.end());
  EXPECT_TRUE(test::same_bits(table_of(rotary, both, 4), expected));
  EXPECT_FALSE(test::same_bits(table_of(Rotary(4, {.theta = 100}), both, 4), expected));
}

// Each of two rows has two heads, and a last column that belongs to no head.
TEST(Rotary, TurnsNeighborsAsTheHalvesAfterTheyAreMovedThere) {
  PlacedBatch batch;
  batch.add({1, 7});
  const size_t dim = 6, stride = 2 * dim + 1;
  test::LayerSetup setup({.tokens = 2, .longest = 2, .hidden = stride, .wide = stride, .head_dim = dim});
  std::vector<float> table = table_of(Rotary(dim, {}), batch, dim), neighbors, halves(2 * stride);
  for (size_t i = 0; i < 2 * stride; ++i) neighbors.push_back(static_cast<float>(i * i % 7) - 2.5f);
  for (size_t row = 0; row < 2; ++row) {
    for (size_t head = 0; head < 2; ++head) {
      const size_t first = row * stride + head * dim;
      for (size_t i = 0; i < dim; ++i) halves[first + i % 2 * 3 + i / 2] = neighbors[first + i];
    }
    halves[row * stride + 2 * dim] = neighbors[row * stride + 2 * dim];
  }
  const ConstMatrixView turns{table.data(), 2, dim, dim};
  rotate({neighbors.data(), 2, 2 * dim, stride}, 2, turns, RotaryPairs::kNeighbors, setup.context());
  rotate({halves.data(), 2, 2 * dim, stride}, 2, turns, RotaryPairs::kHalves, setup.context());
  EXPECT_TRUE(test::same_bits(neighbors, halves));
}

// The product of a rotated query and a rotated key depends only on their distance.
TEST(Rotary, MakesScoresDependOnDistances) {
  PlacedBatch batch;
  batch.add({3, 5, 100, 102});
  const size_t dim = 6;
  test::LayerSetup setup({.tokens = 4, .longest = 4, .hidden = dim, .wide = dim, .head_dim = dim});
  std::vector<float> table = table_of(Rotary(dim, {}), batch, dim);
  std::vector<float> x;
  const std::vector<float> query = {1, -2, 0.5f, 3, 1, 2}, key = {2, 1, -1, 0.5f, 4, 1};
  for (const auto* row : {&query, &key, &query, &key}) x.insert(x.end(), row->begin(), row->end());
  rotate({x.data(), 4, dim, dim}, 1, {table.data(), 4, dim, dim}, RotaryPairs::kHalves, setup.context());
  const auto score = [&](size_t q, size_t k) {
    double sum = 0;
    for (size_t d = 0; d < dim; ++d) sum += static_cast<double>(x[q * dim + d]) * static_cast<double>(x[k * dim + d]);
    return sum;
  };
  EXPECT_NEAR(score(0, 1), score(2, 3), 1e-4);
  EXPECT_GT(std::abs(score(0, 1) - score(0, 3)), 0.1);
}

}  // namespace
}  // namespace bert
