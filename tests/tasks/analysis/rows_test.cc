#include "tasks/analysis/rows.h"

#include <gtest/gtest.h>

#include <vector>

namespace bert::analysis {
namespace {

// The expected values are calculated by hand for 3-4-5 triangles.
TEST(Rows, AreMeasured) {
  const std::vector<float> values = {3, 4, 4, -3, 6, 8, 0, 0};
  const Rows rows{values, 2};
  ASSERT_EQ(rows.count(), 4u);
  EXPECT_EQ(mean_row(rows), (std::vector<float>{3.25, 2.25}));
  EXPECT_EQ(norm(rows[0]), 5);
  EXPECT_EQ(dot(rows[0], rows[2]), 50);
  EXPECT_EQ(cosine(rows[0], rows[1]), 0);
  EXPECT_EQ(cosine(rows[0], rows[2]), 1);
  EXPECT_EQ(relative_distance(rows[0], rows[2]), 1);
  EXPECT_EQ(relative_distance(rows[2], rows[0]), 0.5);
  EXPECT_EQ(relative_distances({rows.values.subspan(0, 4), 2}, {rows.values.subspan(4, 4), 2}),
            (std::vector<double>{1, 1}));
  EXPECT_EQ(mean(std::vector<double>{1, 2, 6}), 3);
  EXPECT_EQ(mean({}), 0);
}

TEST(Rows, OfZerosHaveCosineAndDistanceZero) {
  const std::vector<float> values = {1, 2, 0, 0};
  const Rows rows{values, 2};
  EXPECT_EQ(cosine(rows[0], rows[1]), 0);
  EXPECT_EQ(relative_distance(rows[1], rows[0]), 0);
}

}  // namespace
}  // namespace bert::analysis
