// Compares groups around a centre with a plain calculation from all cosines.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "bert/clusters.h"
#include "tests/support/expect_error.h"
#include "tests/support/planted_rows.h"

namespace bert {
namespace {

using Groups = std::vector<std::vector<size_t>>;

Groups rows_of(const std::vector<Community>& communities) {
  Groups groups;
  for (const Community& one : communities) groups.push_back(one.rows);
  return groups;
}

Groups plain_communities(const std::vector<float>& vectors, size_t size, double threshold, size_t least) {
  const size_t rows = vectors.size() / size;
  const auto cosine = [&](size_t a, size_t b) {
    return test::plain_cosine(&vectors[a * size], &vectors[b * size], size);
  };
  std::vector<std::vector<size_t>> near(rows);
  for (size_t a = 0; a < rows; ++a) {
    for (size_t b = 0; b < rows; ++b) {
      if (a != b && cosine(a, b) >= threshold) near[a].push_back(b);
    }
  }
  std::vector<size_t> centers(rows);
  for (size_t i = 0; i < rows; ++i) centers[i] = i;
  std::stable_sort(centers.begin(), centers.end(), [&](size_t a, size_t b) { return near[a].size() > near[b].size(); });
  std::vector<bool> taken(rows);
  Groups groups;
  for (const size_t center : centers) {
    if (taken[center]) continue;
    std::vector<size_t> group = near[center];
    std::erase_if(group, [&](size_t row) { return taken[row]; });
    std::stable_sort(group.begin(), group.end(),
                     [&](size_t a, size_t b) { return cosine(center, a) > cosine(center, b); });
    group.insert(group.begin(), center);
    if (group.size() < least) continue;
    for (const size_t row : group) taken[row] = true;
    groups.push_back(group);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return groups;
}

TEST(Communities, AreThoseOfAllCosines) {
  test::Random random(4);
  for (const size_t rows : {1u, 40u, 900u}) {
    std::vector<float> vectors = test::planted_rows(random, rows, 8, 2, 0.5f);
    for (size_t row = 3; row < rows; row += 7)
      std::copy_n(&vectors[(row - 3) * 8], 8, &vectors[row * 8]);  // equal rows
    for (const size_t least : {1u, 3u}) {
      const Groups expected = plain_communities(vectors, 8, 0.8, least);
      EXPECT_EQ(rows_of(find_communities(vectors, 8, {.threshold = 0.8, .least_rows = least, .run = {.threads = 1}})),
                expected);
      EXPECT_EQ(rows_of(find_communities(vectors, 8, {.threshold = 0.8, .least_rows = least, .run = {.threads = 2}})),
                expected);
    }
  }
}

TEST(Communities, HaveTheCosinesWithTheirCentre) {
  test::Random random(9);
  const std::vector<float> vectors = test::planted_rows(random, 200, 8, 2, 0.5f);
  for (const Community& one : find_communities(vectors, 8, {.threshold = 0.8, .least_rows = 2})) {
    for (size_t i = 0; i < one.rows.size(); ++i) {
      const double cosine = test::plain_cosine(&vectors[one.rows[0] * 8], &vectors[one.rows[i] * 8], 8);
      EXPECT_NEAR(one.cosines[i], cosine, 1e-13);
      EXPECT_GE(one.cosines[i], 0.8);
    }
  }
}

TEST(Communities, HaveTheRowWithTheMostNeighboursAsCentre) {
  // The rows are at 10°, 0°, 19°, 90° and 91°. With the threshold cos 15° the first row is near the second
  // and the third.
  const std::vector<float> rows = {0.9848f, 0.1736f, 1, 0, 0.9455f, 0.3256f, 0, 1, -0.0175f, 0.9998f};
  EXPECT_EQ(rows_of(find_communities(rows, 2, {.threshold = 0.9659, .least_rows = 2})), (Groups{{0, 2, 1}, {3, 4}}));
  EXPECT_EQ(rows_of(find_communities(rows, 2, {.threshold = 0.9659, .least_rows = 3})), (Groups{{0, 2, 1}}));
  EXPECT_EQ(rows_of(find_communities(rows, 2, {.threshold = 0.9659, .least_rows = 4})), Groups{});
}

TEST(Communities, OfEqualRowsNeedNoPairs) {
  // There are 200,000 equal rows and 3 equal rows of another kind among them, which are 2e10 pairs.
  std::vector<float> vectors;
  for (size_t row = 0; row < 200'003; ++row) {
    const bool is_other = row == 5 || row == 6 || row == 100'000;
    vectors.insert(vectors.end(), {is_other ? 1.0F : 0.0F, is_other ? 0.0F : 1.0F});
  }
  const ClusterRun run{.threads = 2, .most_bytes = size_t{64} << 20};
  const auto found = find_communities(vectors, 2, {.threshold = 0.5, .least_rows = 3, .run = run});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].rows.size(), 200'000u);
  EXPECT_EQ(found[0].rows[5], 7u);
  EXPECT_EQ(found[1].rows, (std::vector<size_t>{5, 6, 100'000}));
  EXPECT_EQ(found[1].cosines, (std::vector<double>{1, 1, 1}));
}

TEST(Communities, RowsOfZerosAreNearNone) {
  EXPECT_EQ(find_communities(std::vector<float>(20), 2, {.threshold = 0.5, .least_rows = 2}).size(), 0u);
}

TEST(Communities, EndWhereTheirMemoryHasNoRoom) {
  const std::vector<float> rows(3000, 1.0f);
  const ClusterRun run{.threads = 1, .most_bytes = size_t{1} << 20};
  EXPECT_NE(
      test::error_of(ErrorCode::kInvalidArgument, [&] { find_communities(rows, 1, {.threshold = 0.5, .run = run}); })
          .find("bytes of memory, expected at most 1048576"),
      std::string::npos);
}

TEST(Communities, RejectOptionsOutsideTheirRange) {
  const std::vector<float> rows = {1, 2};
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { find_communities(rows, 2, {.least_rows = 0}); }),
            "least_rows 0, expected 1 or more");
  EXPECT_NE(test::error_of(ErrorCode::kInvalidArgument, [&] { find_communities(rows, 2, {.threshold = 2}); }), "");
}

}  // namespace
}  // namespace bert
