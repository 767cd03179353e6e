// Directions in which rows are long: at right angles, and the axes that rows were made of.
#include "tasks/search/subspace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/random.h"

namespace bert {
namespace {

double product(const std::vector<double>& directions, size_t a, size_t b, size_t size) {
  double sum = 0;
  for (size_t c = 0; c < size; ++c) sum += directions[a * size + c] * directions[b * size + c];
  return sum;
}

void expect_orthonormal(const std::vector<double>& directions, size_t count, size_t size) {
  for (size_t a = 0; a < count; ++a) {
    for (size_t b = 0; b <= a; ++b) {
      EXPECT_NEAR(product(directions, a, b, size), a == b ? 1 : 0, 1e-13) << a << " " << b;
    }
  }
}

TEST(LongestDirections, AreAtRightAnglesAndDoNotDependOnThreads) {
  test::Random random(4);
  const std::vector<float> rows = random.numbers(50 * 20);
  ThreadPool one(1), two(2);
  const std::vector<double> directions = longest_directions(rows, 20, 9, one);
  expect_orthonormal(directions, 9, 20);
  EXPECT_EQ(directions, longest_directions(rows, 20, 9, two));
}

TEST(LongestDirections, AreTheAxesOfLongRowsFirst) {
  // Rows with 100, 10 and 1 along the axes 3, 0 and 2: the axes are found in this order.
  std::vector<float> rows;
  test::Random random(1);
  for (size_t i = 0; i < 200; ++i) {
    const float row[] = {10 * random.number(), 0, random.number(), 100 * random.number()};
    rows.insert(rows.end(), row, row + 4);
  }
  ThreadPool pool(1);
  const std::vector<double> directions = longest_directions(rows, 4, 3, pool);
  EXPECT_NEAR(std::abs(directions[3]), 1, 1e-2);
  EXPECT_NEAR(std::abs(directions[4]), 1, 1e-2);
  EXPECT_NEAR(std::abs(directions[8 + 2]), 1, 1e-2);
}

TEST(LongestDirections, AreWholeWhereRowsHaveFewerDimensions) {
  const std::vector<float> rows = {1, 1, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0};
  ThreadPool pool(1);
  expect_orthonormal(longest_directions(rows, 4, 4, pool), 4, 4);
}

}  // namespace
}  // namespace bert
