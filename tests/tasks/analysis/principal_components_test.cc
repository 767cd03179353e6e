#include "tasks/analysis/principal_components.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/random.h"

namespace bert::analysis {
namespace {

TEST(PrincipalComponents, FindsThePlaneThatRowsAreIn) {
  test::Random random(3);
  std::vector<float> values;
  for (size_t i = 0; i < 2000; ++i) {  // needs several blocks
    const float a = 3 * random.number(), b = random.number();
    for (const float value : {1 + a, 2 - a, 3 + b, 4.0f}) values.push_back(value);
  }
  const Rows rows{values, 4};
  const PrincipalComponents one = principal_components(rows, 1), two = principal_components(rows, 2);
  EXPECT_NEAR(two.explained, 1, 1e-12);
  EXPECT_LT(one.explained, 0.99);
  EXPECT_GT(one.explained, 0.85);
  const double half = std::sqrt(0.5);
  for (const size_t i : {0, 1}) EXPECT_NEAR(std::abs(one.directions[i]), half, 0.05);
  EXPECT_NEAR(two.directions[6], 1, 0.05) << "the sign of the largest number is positive";
  const std::vector<float> projected = project(two, rows);
  ASSERT_EQ(projected.size(), 4000u);
  for (size_t i = 0; i < 2000; ++i) {
    for (size_t c = 0; c < 4; ++c) {
      double value = two.mean[c];
      for (size_t k = 0; k < 2; ++k) value += static_cast<double>(projected[2 * i + k]) * two.directions[4 * k + c];
      ASSERT_NEAR(value, static_cast<double>(values[4 * i + c]), 1e-5);
    }
  }
}

// The expected values are those of numpy 2.4's eigh(cov(X.T)) for these four rows.
TEST(PrincipalComponents, AgreesWithNumpy) {
  const std::vector<float> values = {1, 2, 0, 3, -1, 4, 0, 0, 1, -2, 5, 2};
  const PrincipalComponents found = principal_components({values, 3}, 3);
  const double expected[] = {-0.588791255912416, 0.768661865291597, -0.249967585513646,
                             -0.010062303683066, 0.302262210069762, 0.953171708774622,
                             0.808222498453037,  0.563734417265954, -0.170234837163682};
  for (size_t i = 0; i < 9; ++i) EXPECT_NEAR(found.directions[i], expected[i], 1e-12) << i;
  EXPECT_NEAR(principal_components({values, 3}, 1).explained, 0.776311688303650, 1e-12);
}

}  // namespace
}  // namespace bert::analysis
