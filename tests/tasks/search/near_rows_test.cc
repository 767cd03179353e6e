// Checks that the products of shortened rows are upper bounds of the cosines, so that no pair above the threshold is
// missed.
#include "tasks/search/near_rows.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/planted_rows.h"
#include "tests/support/random.h"

namespace bert {
namespace {

using Pairs = std::set<std::pair<size_t, size_t>>;

TEST(RowCosines, AreThoseInFloat64AndOneForEqualRows) {
  test::Random random(2);
  ThreadPool pool(2);
  for (const size_t size : {1u, 7u, 8u, 33u}) {
    std::vector<float> rows = random.numbers(6 * size);
    for (size_t c = 0; c < size; ++c) rows[size + c] = 4 * rows[c];
    std::fill_n(rows.begin() + static_cast<ptrdiff_t>(2 * size), size, 0.0f);
    const RowCosines cosines(rows, size, pool);
    for (size_t a = 0; a < 6; ++a) {
      for (size_t b = 0; b < 6; ++b) {
        EXPECT_NEAR(cosines.cosine(a, b), test::plain_cosine(&rows[a * size], &rows[b * size], size), 1e-14);
      }
    }
    EXPECT_EQ(cosines.cosine(0, 1), 1);
    EXPECT_EQ(cosines.cosine(3, 3), 1);
    EXPECT_EQ(cosines.cosine(2, 2), 0);
  }
}

TEST(RowCosines, RejectWhatIsNotFinite) {
  ThreadPool pool(1);
  for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const std::vector<float> rows = {1, 2, 3, wrong};
    EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { RowCosines(rows, 2, pool); }),
              "row 1 has a NaN or an infinity, expected finite numbers");
  }
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { RowCosines(std::vector<float>(5), 2, pool); }),
            "5 numbers, expected whole vectors of 2");
}

// Returns the pairs that scan finds in tiles, with the earlier row first.
Pairs found_pairs(const NearRows& near) {
  Pairs pairs;
  NearRows::Room room;
  const ConstMatrixView rows = near.rows();
  for (size_t begin = 0; begin < rows.rows; begin += NearRows::kRight) {
    const size_t count = std::min(NearRows::kRight, rows.rows - begin);
    near.scan(rows, rows.row_range(begin, count), room, [&](size_t i, size_t j) {
      if (i < begin + j) pairs.emplace(i, begin + j);
    });
  }
  return pairs;
}

TEST(NearRows, FindEachPairThatReachesTheThreshold) {
  test::Random random(3);
  ThreadPool pool(2);
  constexpr size_t kRows = 700, kSize = 40;
  for (const float pull : {0.0f, 1.0f}) {
    std::vector<float> rows = test::planted_rows(random, kRows, kSize, 5, 0.4f, pull);
    std::fill_n(rows.begin() + 3 * kSize, kSize, 0.0f);
    const RowCosines cosines(rows, kSize, pool);
    for (const double threshold : {0.5, 0.9}) {
      Pairs expected;
      for (size_t i = 0; i < kRows; ++i) {
        for (size_t j = i + 1; j < kRows; ++j) {
          if (cosines.cosine(i, j) >= threshold) expected.emplace(i, j);
        }
      }
      ASSERT_GT(expected.size(), 50u);
      for (const size_t columns : {kSize, size_t{2}, size_t{17}, size_t{39}}) {
        const NearRows near(cosines, threshold, choose_shortening(cosines, threshold, columns, pool), pool);
        EXPECT_EQ(near.columns(), columns);
        const Pairs found = found_pairs(near);
        EXPECT_TRUE(std::includes(found.begin(), found.end(), expected.begin(), expected.end()))
            << columns << " columns, threshold " << threshold;
        // With all columns the bound equals the cosine up to rounding, so hardly any other pair is found.
        EXPECT_TRUE(columns < kSize || found.size() <= expected.size() + 5) << found.size();
      }
    }
  }
}

TEST(NearRows, AreBoundsAlsoForEqualRowsAtTheThresholdOne) {
  test::Random random(6);
  ThreadPool pool(1);
  std::vector<float> rows = random.numbers(20 * 64);
  for (size_t c = 0; c < 64; ++c) rows[64 + c] = rows[c];
  const RowCosines cosines(rows, 64, pool);
  for (const size_t columns : {2u, 30u, 64u}) {
    const NearRows near(cosines, 1, choose_shortening(cosines, 1, columns, pool), pool);
    EXPECT_TRUE(found_pairs(near).contains({0, 1})) << columns;
  }
}

TEST(Shortening, IsChosenBySize) {
  test::Random random(8);
  ThreadPool pool(2);
  constexpr size_t kSize = 128;
  // For random rows of 128 numbers, fewer columns are enough at a high threshold; at a low one all are needed.
  const std::vector<float> many = random.numbers(9000 * kSize);
  const RowCosines cosines(many, kSize, pool);
  const Shortening high = choose_shortening(cosines, 0.9, 0, pool);
  EXPECT_LT(high.columns, 100u);
  EXPECT_EQ(high.directions.size(), (high.columns - 1) * kSize);
  EXPECT_EQ(choose_shortening(cosines, 0.2, 0, pool).columns, kSize);
  const RowCosines few({many.data(), 500 * kSize}, kSize, pool);
  EXPECT_EQ(choose_shortening(few, 0.9, 0, pool).columns, kSize);
  EXPECT_LT(NearRows::bytes(9000, kSize, high, 2), NearRows::bytes(9000, kSize, {kSize, {}}, 2));
}

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
  // The rows have 100, 10 and 1 along the axes 3, 0 and 2, so the axes are found in this order.
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
