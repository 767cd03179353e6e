#include "engine/base/elementary.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace bert {
namespace {

// The expected values are of Python's decimal with 80 digits, rounded to double.
TEST(Elementary, RoundsExponentialsToTheNearestDouble) {
  constexpr std::pair<double, double> kExpected[] = {
      {0, 1},
      {1, 0x1.5bf0a8b145769p+1},
      {-1, 0x1.78b56362cef38p-2},
      {0.5, 0x1.a61298e1e069cp+0},
      {-0.1, 0x1.cf46d99d52b3ap-1},
      {-0.0302, 0x1.f0c4ccc4423c2p-1},
      {-20.25, 0x1.b93de1e27ca3bp-30},
      {-87.3, 0x1.09874c0b9cacbp-126},
      {30, 0x1.370470aec28edp+43},
      {300.75, 0x1.da96ac93f511ap+433},
      {-650.5, 0x1.70d8a640274efp-939},
      {709, 0x1.d422d2be5dc9bp+1022},
  };
  for (const auto& [x, expected] : kExpected) EXPECT_EQ(exponential_of(x), expected) << x;
}

TEST(Elementary, ExponentialsHaveTheLimitsOfDoubles) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(exponential_of(710.5), kInfinity);
  EXPECT_EQ(exponential_of(709.9), kInfinity);
  EXPECT_EQ(exponential_of(kInfinity), kInfinity);
  EXPECT_EQ(exponential_of(-745), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(exponential_of(-746), 0);
  EXPECT_EQ(exponential_of(-kInfinity), 0);
  EXPECT_TRUE(std::isnan(exponential_of(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace bert
