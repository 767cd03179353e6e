#include "tasks/analysis/positions.h"

#include <gtest/gtest.h>
#include <cmath>
#include <numbers>

namespace bert::analysis {
namespace {

// The expected values are calculated by hand: sin 2 and cos 2, then those of 2 / 10000^(2/6) and 2 / 10000^(4/6).
TEST(SinusoidalTable, FollowsTheFormula) {
  const std::vector<float> table = sinusoidal_table(3, 6);
  const float expected[] = {0.909297f, -0.416147f, 0.0926985f, 0.995694f, 0.00430886f, 0.999991f};
  for (size_t c = 0; c < 6; ++c) EXPECT_NEAR(table[2 * 6 + c], expected[c], 1e-6) << c;
  const std::vector<float> first = {0, 1, 0, 1, 0, 1};
  EXPECT_EQ(std::vector<float>(table.begin(), table.begin() + 6), first);
}

// The dot product of two rows (sin a, cos a) and (sin b, cos b) is cos(a - b), which depends on the distance only.
TEST(CosineMatrix, OfTheSinusoidalTableDependsOnTheDistanceOnly) {
  const size_t count = 9;
  const std::vector<float> table = sinusoidal_table(count, 2);
  const std::vector<double> matrix = cosine_matrix({table, 2});
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < count; ++j) {
      EXPECT_NEAR(matrix[i * count + j], std::cos(static_cast<double>(i) - static_cast<double>(j)), 1e-6);
    }
  }
  const std::vector<double> means = mean_by_distance(matrix, count);
  for (size_t k = 0; k < count; ++k) EXPECT_NEAR(means[k], std::cos(static_cast<double>(k)), 1e-6) << k;
}

TEST(CosineMatrix, FindsTheNearestRows) {
  const std::vector<float> rows = {1, 0, 0, 1, 1, 0.1f, -1, 0};
  const std::vector<double> matrix = cosine_matrix({rows, 2});
  EXPECT_EQ(nearest_rows(matrix, 4, 0, 2), (std::vector<size_t>{2, 1}));
  EXPECT_EQ(nearest_rows(matrix, 4, 3, 9), (std::vector<size_t>{1, 2, 0}));
}

// One frequency turns once in 4 places, the other in 6. The cosines are 1, 0, -1, 0 and 1, 1/2, -1/2, -1.
TEST(Distances, AverageTheCosinesOfTurns) {
  const std::vector<float> frequencies = {static_cast<float>(std::numbers::pi / 2),
                                          static_cast<float>(std::numbers::pi / 3)};
  const std::vector<double> means = mean_cosines(frequencies, 3);
  ASSERT_EQ(means.size(), 4u);
  EXPECT_EQ(means[0], 1);
  EXPECT_NEAR(means[1], 0.25, 1e-6);
  EXPECT_NEAR(means[2], -0.75, 1e-6);
  EXPECT_NEAR(means[3], -0.5, 1e-6);
}

TEST(Distances, AddUpWindowsToTheFirstLayerWithoutOne) {
  const std::vector<std::optional<size_t>> windows = {5, 7, std::nullopt, 5};
  EXPECT_EQ(reach_by_layer(windows), (std::vector<std::optional<size_t>>{5, 12, std::nullopt, std::nullopt}));
}

}  // namespace

}  // namespace bert::analysis
