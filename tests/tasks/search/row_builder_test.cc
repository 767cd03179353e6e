#include "tasks/search/row_builder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

TEST(RowBuilder, PadsFloatsWithZeros) {
  RowBuilder builder(ScanRows::kFloat32, 3);
  builder.convert(std::vector<float>{1, 2, 2}, 0);
  std::vector<float> expected(16);
  expected[0] = 1, expected[1] = expected[2] = 2;
  EXPECT_EQ(std::vector<float>(builder.floats().begin(), builder.floats().end()), expected);
  EXPECT_TRUE(builder.small().empty());
  EXPECT_EQ(builder.limits().norm, 3);
}

TEST(RowBuilder, MakesIntegersWithTheirScaleAndSum) {
  RowBuilder builder(ScanRows::kInt8, 3);
  // The scale is 2, so the values are 127, -0.5 and 3.5. Halves are rounded to even.
  builder.convert(std::vector<float>{254, -1, 7}, 0);
  ASSERT_EQ(builder.small().size(), 64u);
  EXPECT_EQ(static_cast<int8_t>(builder.small()[0]), 127);
  EXPECT_EQ(static_cast<int8_t>(builder.small()[1]), 0);
  EXPECT_EQ(static_cast<int8_t>(builder.small()[2]), 4);
  EXPECT_EQ(static_cast<int8_t>(builder.small()[3]), 0);
  EXPECT_EQ(builder.int8_row().scale, 2);
  EXPECT_EQ(builder.int8_row().sum, 131);
  EXPECT_EQ(builder.limits().rounding_error, std::sqrt(2));  // the differences are 0, -1 and -1
}

TEST(RowBuilder, PutsTheFirstSignInTheLowestBit) {
  RowBuilder builder(ScanRows::kBinary, 66);
  std::vector<float> vector(66, -1);
  vector[0] = vector[9] = vector[65] = 1;
  builder.convert(vector, 0);
  ASSERT_EQ(builder.small().size(), 16u);
  EXPECT_EQ(static_cast<int>(builder.small()[0]), 1);
  EXPECT_EQ(static_cast<int>(builder.small()[1]), 2);
  EXPECT_EQ(static_cast<int>(builder.small()[8]), 2);
}

TEST(RowBuilder, MakesAVectorWithAnInfinityNan) {
  RowBuilder builder(ScanRows::kInt8, 2);
  builder.convert(std::vector<float>{1, std::numeric_limits<float>::infinity()}, 0);
  EXPECT_TRUE(std::isnan(builder.floats()[0]));
  EXPECT_TRUE(std::isnan(builder.int8_row().scale));
  EXPECT_EQ(builder.limits().norm, 0);
}

TEST(RowBuilder, RejectsALengthWhoseProductsOverflow) {
  RowBuilder builder(ScanRows::kFloat32, 1);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { builder.convert(std::vector<float>{2e18f}, 7); }),
            "vector 7 has a length above 1e18, the most that a search takes");
}

}  // namespace
}  // namespace bert
