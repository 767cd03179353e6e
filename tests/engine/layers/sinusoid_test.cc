#include "engine/layers/sinusoid.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/compare.h"

namespace bert {
namespace {

std::vector<float> row(size_t width, size_t position) {
  std::vector<float> values(width, 1.0f);
  Sinusoid(width).add_to(values.data(), position);
  for (float& value : values) value -= 1;
  return values;
}

// The expected values are calculated by hand for width 6 and position 2.
TEST(Sinusoid, IsSineAndCosineOfThePositionAtFallingFrequencies) {
  const double second = 2 / std::cbrt(10000.0), third = 2 / std::cbrt(1e8);
  const std::vector<double> expected = {0.9093,           -0.4161,         std::sin(second),
                                        std::cos(second), std::sin(third), std::cos(third)};
  EXPECT_TRUE(test::within(5e-5, row(6, 2), expected));
}

TEST(Sinusoid, StartsWithZeroAndOne) { EXPECT_EQ(row(5, 0), (std::vector<float>{0, 1, 0, 1, 0})); }

TEST(Sinusoid, HasNoLastPosition) {
  EXPECT_TRUE(test::within(1e-6, row(2, 1'000'000), std::vector<double>{std::sin(1e6), std::cos(1e6)}));
}

}  // namespace
}  // namespace bert
