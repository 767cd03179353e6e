#include "engine/kernels/gemm/coarse_row.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace bert {
namespace {

// Returns a row of alternating signs: `large` numbers of 255, then numbers of `small`, then `zeros` zeros.
std::vector<float> row_of(size_t width, size_t large, size_t zeros, float small) {
  std::vector<float> row(width, 0.0f);
  for (size_t i = 0; i < width - zeros; ++i) row[i] = (i < large ? 255.0f : small) * (i % 2 == 0 ? 1.0f : -1.0f);
  return row;
}

// The second argument of is_coarse, the step, is 1.
TEST(CoarseRow, HasSixtyThreeNumbersBelowAStepForEachThatIsNot) {
  EXPECT_TRUE(is_coarse(row_of(64, 1, 0, 0.999f), 1));
  EXPECT_FALSE(is_coarse(row_of(64, 1, 0, 1), 1));
  EXPECT_FALSE(is_coarse(row_of(63, 1, 0, 0.5f), 1));
  EXPECT_FALSE(is_coarse(row_of(384, 7, 0, 0.5f), 1));
  EXPECT_TRUE(is_coarse(row_of(384, 6, 0, 0.5f), 1));
}

TEST(CoarseRow, LosesNothingWithZeros) {
  EXPECT_FALSE(is_coarse(row_of(384, 1, 383, 0.5f), 1));
  EXPECT_FALSE(is_coarse(row_of(384, 1, 384 - 63, 0.5f), 1));
  EXPECT_TRUE(is_coarse(row_of(384, 1, 384 - 64, 0.5f), 1));
  EXPECT_FALSE(is_coarse(std::vector<float>(384, 0.0f), 0x1p-23f));
  EXPECT_FALSE(is_coarse({}, 0x1p-23f));
}

// The values are so small that the scale is its minimum, 2^-23.
TEST(CoarseRow, MayHaveNoNumberOfAStep) {
  EXPECT_TRUE(is_coarse(std::vector<float>(64, 1e-45f), 0x1p-23f));
  EXPECT_FALSE(is_coarse(std::vector<float>(62, 1e-45f), 0x1p-23f));
}

TEST(CoarseRow, IsFinite) {
  EXPECT_FALSE(is_coarse(row_of(64, 1, 0, 0.5f), std::numeric_limits<float>::quiet_NaN()));
  EXPECT_FALSE(is_coarse(row_of(64, 1, 0, 0.5f), std::numeric_limits<float>::infinity()));
}

}  // namespace
}  // namespace bert
