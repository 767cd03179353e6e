#include "tasks/labels/boundaries/boundary_candidates.h"

#include <gtest/gtest.h>

namespace bert {
namespace {

TEST(Largest, AreInOrderAndTheFirstOfEqualOnes) {
  const std::vector<float> values = {1, 3, 2, 3, 0};
  EXPECT_EQ(largest(values, 3), (std::vector<size_t>{1, 3, 2}));
  EXPECT_EQ(largest(values, 9), (std::vector<size_t>{1, 3, 2, 0, 4}));
  EXPECT_TRUE(largest({}, 2).empty());
}

// The expected numbers are those of the reference's resolve_boundary_budget.
TEST(BoundariesToTry, GrowWithALongText) {
  BoundarySettings settings;
  EXPECT_EQ(boundaries_to_try(settings, 16, 1000), 16u);
  settings.best_share = 0.1;
  EXPECT_EQ(boundaries_to_try(settings, 16, 50), 16u);
  EXPECT_EQ(boundaries_to_try(settings, 16, 402), 48u);  // 41 rounded up to a multiple of 8
  EXPECT_EQ(boundaries_to_try(settings, 16, 5000), 128u);
  settings.best_at_most = 45;
  EXPECT_EQ(boundaries_to_try(settings, 16, 402), 45u);
}

TEST(BestPairs, AreEachOnceWithTheirBestScore) {
  const std::vector<ScoredPair> pairs = {{{0, 2}, 1}, {{1, 2}, 5}, {{0, 2}, 6}, {{0, 1}, 5}, {{3, 4}, -1}};
  EXPECT_EQ(best_pairs(pairs, 9), (std::vector<BoundaryPair>{{0, 2}, {0, 1}, {1, 2}, {3, 4}}));
  EXPECT_EQ(best_pairs(pairs, 2), (std::vector<BoundaryPair>{{0, 2}, {0, 1}}));
}

}  // namespace
}  // namespace bert
