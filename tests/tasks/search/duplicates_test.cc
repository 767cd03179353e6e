// Compares near-duplicates with those of a plain comparison of each row with each kept row.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

#include "bert/clusters.h"
#include "tests/support/expect_error.h"
#include "tests/support/planted_rows.h"

namespace bert {
namespace {

// Compares each row with all kept rows before it, by the same cosines.
std::vector<Duplicate> plain_duplicates(const std::vector<float>& rows, size_t size, double threshold) {
  std::vector<double> units(rows.begin(), rows.end());
  for (size_t begin = 0; begin < units.size(); begin += size) {
    double squares = 0;
    for (size_t c = 0; c < size; ++c) squares += units[begin + c] * units[begin + c];
    for (size_t c = 0; c < size; ++c) units[begin + c] /= std::sqrt(squares);
  }
  std::vector<size_t> kept;
  std::vector<Duplicate> duplicates;
  for (size_t row = 0; row < rows.size() / size; ++row) {
    Duplicate nearest{row, 0, 0};
    for (const size_t other : kept) {
      const double cosine =
          std::inner_product(&units[row * size], &units[row * size] + size, &units[other * size], 0.0);
      if (cosine >= threshold && cosine > nearest.cosine) nearest = {row, other, cosine};
    }
    if (nearest.cosine > 0) {
      duplicates.push_back(nearest);
    } else {
      kept.push_back(row);
    }
  }
  return duplicates;
}

void expect_equal(const std::vector<Duplicate>& found, const std::vector<Duplicate>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].row, expected[i].row);
    EXPECT_EQ(found[i].kept, expected[i].kept) << "of row " << found[i].row;
    EXPECT_NEAR(found[i].cosine, expected[i].cosine, 1e-13);
  }
}

TEST(Duplicates, AreThoseOfAllPairs) {
  test::Random random(1);
  for (const auto& [rows, size, every, noise, threshold] :
       {std::tuple<size_t, size_t, size_t, float, double>{1, 3, 2, 0.1f, 0.9},
        {300, 5, 3, 0.3f, 0.8},
        {2500, 16, 4, 0.5f, 0.85},
        {5000, 24, 2, 0.6f, 0.7}}) {
    const std::vector<float> vectors = test::planted_rows(random, rows, size, every, noise);
    expect_equal(find_duplicates(vectors, size, {.threshold = threshold}), plain_duplicates(vectors, size, threshold));
  }
}

// 9,000 rows are enough for find_duplicates to choose a subspace.
TEST(Duplicates, AreThoseOfAllPairsWhereRowsAreShortened) {
  test::Random random(2);
  const std::vector<float> vectors = test::planted_rows(random, 9000, 64, 20, 0.4f, 0.5f);
  const std::vector<Duplicate> found = find_duplicates(vectors, 64, {.threshold = 0.9, .run = {.threads = 2}});
  EXPECT_GT(found.size(), 300u);
  expect_equal(found, plain_duplicates(vectors, 64, 0.9));
  expect_equal(find_duplicates(vectors, 64, {.threshold = 0.9, .run = {.threads = 1}}), found);
}

TEST(Duplicates, KeepTheFirstOfEqualRows) {
  std::vector<float> rows;
  for (size_t i = 0; i < 6000; ++i) rows.insert(rows.end(), {1.0f, i % 2 == 0 ? 1.0f : -1.0f, 0.0f});
  const std::vector<Duplicate> found = find_duplicates(rows, 3, {.threshold = 1});
  ASSERT_EQ(found.size(), 5998u);
  for (const Duplicate& one : found) {
    ASSERT_EQ(one.kept, one.row % 2);
    ASSERT_EQ(one.cosine, 1);
  }
}

// Rows 0 and 2 are near row 1, but not near each other. Row 1 is dropped, and row 2 is compared only with rows that
// were kept.
TEST(Duplicates, AreNearAKeptRowAndNoChain) {
  const std::vector<float> rows = {1, 0, 1, 0.6f, 0.5f, 1};
  const std::vector<Duplicate> found = find_duplicates(rows, 2, {.threshold = 0.8});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].row, 1u);
  EXPECT_EQ(found[0].kept, 0u);
}

TEST(Duplicates, LeaveRowsOfZerosAndNothing) {
  EXPECT_TRUE(find_duplicates(std::vector<float>(12), 3).empty());
  EXPECT_TRUE(find_duplicates({}, 3).empty());
}

TEST(Duplicates, NeedTheMemoryThatIsAllowed) {
  const std::vector<float> rows(3 * 4, 1.0f);
  const std::string message = test::error_of(
      ErrorCode::kInvalidArgument, [&] { find_duplicates(rows, 3, {.run = {.threads = 1, .most_bytes = 1000}}); });
  EXPECT_NE(message.find(" bytes of memory, expected at most 1000"), std::string::npos) << message;
  EXPECT_EQ(find_duplicates(rows, 3, {.run = {.threads = 1, .most_bytes = size_t{100} << 20}}).size(), 3u);
}

TEST(Duplicates, ReportTheirProgressAndEndWithWhatItThrows) {
  test::Random random(3);
  const std::vector<float> rows = random.numbers(5000 * 4);
  std::vector<double> seen;
  find_duplicates(rows, 4, {.threshold = 0.999, .run = {.progress = [&](double done) { seen.push_back(done); }}});
  EXPECT_GT(seen.size(), 2u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), 1);
  EXPECT_THROW(find_duplicates(rows, 4, {.run = {.progress = [](double) { throw 5; }}}), int);
}

}  // namespace
}  // namespace bert
