#include "tasks/analysis/two_way_variance.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/random.h"

namespace bert::analysis {
namespace {

void add(TwoWayVariance& variance, uint32_t first, uint32_t second, const std::vector<float>& row) {
  variance.add(first, second, {row, row.size()});
}

// The expected values are calculated by hand. The groups {1, 3} and {5, 7} have 2 + 2 = 4 as the sum of squares around
// their means, and 4 - 2 degrees of freedom. Around 4, the mean of all, it is 9 + 1 + 1 + 9 = 20, and 4 - 1 degrees.
// The groups of the second grouping, {1, 5} and {3, 7}, have 8 + 8. Both groupings together explain everything, because
// 1, 3, 5, 7 is 1 + {0, 4} + {0, 2}.
TEST(TwoWayVariance, ComparesResidualAndTotalVariance) {
  TwoWayVariance variance(1, 1);
  add(variance, 0, 0, {1});
  add(variance, 0, 1, {3});
  add(variance, 1, 0, {5});
  add(variance, 1, 1, {7});
  const ExplainedVariance explained = variance.explained(0);
  EXPECT_DOUBLE_EQ(explained.first, 1 - (4.0 / 2) / (20.0 / 3));
  EXPECT_DOUBLE_EQ(explained.second, 1 - (16.0 / 2) / (20.0 / 3));
  EXPECT_NEAR(explained.both, 1, 1e-9);
}

// The groupings are correlated. Variance that both explain is counted once, and all variance is explained.
TEST(TwoWayVariance, ExplainsAllOfASumHoweverUnevenTheGroups) {
  test::Random random(4);
  const std::vector<float> first = random.numbers(5 * 8), second = random.numbers(9 * 8);
  TwoWayVariance variance(1, 8);
  for (uint32_t i = 0; i < 300; ++i) {
    const uint32_t a = i * i % 5, b = a < 2 ? i % 3 : i % 9;
    std::vector<float> row;
    for (size_t c = 0; c < 8; ++c) row.push_back(first[a * 8 + c] + second[b * 8 + c]);
    add(variance, a, b, row);
  }
  const ExplainedVariance explained = variance.explained(0);
  EXPECT_NEAR(explained.both, 1, 1e-4);
  EXPECT_LT(explained.first, 0.9);
  EXPECT_LT(explained.second, 0.9);
}

// A row that is alone in its group must not count as explained by it.
TEST(TwoWayVariance, IsAboutZeroForUnrelatedGroupsHoweverSmall) {
  test::Random random(7);
  TwoWayVariance variance(1, 50);
  for (uint32_t i = 0; i < 900; ++i) add(variance, i % 500, i % 7, random.numbers(50));
  const ExplainedVariance explained = variance.explained(0);
  EXPECT_NEAR(explained.first, 0, 0.03);
  EXPECT_NEAR(explained.second, 0, 0.03);
  EXPECT_NEAR(explained.both, 0, 0.03);
}

TEST(TwoWayVariance, KeepsLayersApart) {
  TwoWayVariance variance(2, 1);
  for (uint32_t i = 0; i < 12; ++i) {
    const std::vector<float> rows = {static_cast<float>(i % 2), static_cast<float>(i % 3)};
    variance.add(i % 2, i % 3, {rows, 1});
  }
  EXPECT_DOUBLE_EQ(variance.explained(0).first, 1);
  EXPECT_LT(variance.explained(0).second, 0.1);
  EXPECT_DOUBLE_EQ(variance.explained(1).second, 1);
  EXPECT_LT(variance.explained(1).first, 0.1);
}

// Seven rows are equal, so their sums of squares differ only by rounding.
TEST(TwoWayVariance, RecognisesRowsThatDoNotVary) {
  const std::vector<float> row = {0.1f, -1.7f, 3.3f};
  TwoWayVariance variance(1, 3);
  EXPECT_FALSE(variance.varies(0));
  for (int i = 0; i < 7; ++i) variance.add(0, 0, {row, 3});
  EXPECT_FALSE(variance.varies(0));
  EXPECT_EQ(variance.explained(0).both, 0);
  variance.add(1, 0, {std::vector<float>{0.1f, -1.7f, 3.4f}, 3});
  EXPECT_TRUE(variance.varies(0));
}

TEST(TwoWayVariance, IsZeroForTooFewSamplesAndForNoVariance) {
  TwoWayVariance few(1, 1);
  EXPECT_EQ(few.explained(0).both, 0);
  add(few, 0, 0, {1});
  add(few, 1, 1, {2});
  EXPECT_EQ(few.explained(0).first, 0);  // each row is alone in its group
  TwoWayVariance same(1, 1);
  for (uint32_t i = 0; i < 8; ++i) add(same, i % 2, i % 3, {3});
  EXPECT_EQ(same.explained(0).first, 0);  // there is no variance to explain
}

}  // namespace
}  // namespace bert::analysis
