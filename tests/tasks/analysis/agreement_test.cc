#include "tasks/analysis/agreement.h"

#include <gtest/gtest.h>

#include <vector>

namespace bert::analysis {
namespace {

// The vectors are at 0, 10, 30 and 90 degrees. In the second list the third one is at 80 degrees, and lengths differ.
TEST(NeighboursKept, CountsTheNearestThatBothHave) {
  const std::vector<float> before = {1, 0, 0.98481f, 0.17365f, 0.86603f, 0.5f, 0, 1};
  const std::vector<float> after = {3, 0, 0.98481f, 0.17365f, 0.17365f, 0.98481f, 0, 2};
  EXPECT_EQ(neighbours_kept({before, 2}, {before, 2}, 1), 1);
  // The nearest vectors have the indices 1 0 1 2 before and 1 0 3 2 after.
  EXPECT_EQ(neighbours_kept({before, 2}, {after, 2}, 1), 0.75);
  // The two nearest are {1,2} {0,2} {0,1} {1,2} before and {1,2} {0,2} {1,3} {1,2} after.
  EXPECT_EQ(neighbours_kept({before, 2}, {after, 2}, 2), 0.875);
  EXPECT_EQ(neighbours_kept({before, 2}, {after, 2}, 3), 1);
}

TEST(NeighboursKept, TakesEqualCosinesInTheOrderOfTheRows) {
  const std::vector<float> equal = {1, 0, 1, 0, 1, 0, 0, 0};
  EXPECT_EQ(neighbours_kept({equal, 2}, {equal, 2}, 1), 1);
}

// Without ties the formula is 1 - 6 · (sum of squared rank differences) / (n (n² - 1)). The differences 0, 1, 1 and 0
// give 1 - 12/60.
TEST(Spearman, IsThatOfTheRanks) {
  const std::vector<double> a = {0.1, 0.5, 0.3, 100};
  EXPECT_DOUBLE_EQ(spearman(a, std::vector<double>{1, 2, 3, 4}), 0.8);
  EXPECT_DOUBLE_EQ(spearman(a, a), 1);
  EXPECT_DOUBLE_EQ(spearman(a, std::vector<double>{4, 2, 3, 1}), -1);
}

// The expected value is that of scipy 1.17: spearmanr([1, 2, 2, 3, 5], [2, 1, 4, 4, 4]).
TEST(Spearman, GivesEqualValuesTheirMeanRank) {
  EXPECT_NEAR(spearman(std::vector<double>{1, 2, 2, 3, 5}, std::vector<double>{2, 1, 4, 4, 4}), 0.6308932681440449,
              1e-15);
  EXPECT_EQ(spearman(std::vector<double>{1, 2, 3}, std::vector<double>{7, 7, 7}), 0);
  EXPECT_EQ(spearman({}, {}), 0);
}

}  // namespace
}  // namespace bert::analysis
