// Compares k-means with a plain Lloyd's algorithm, and tests it on rows with known clusters.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "bert/clusters.h"
#include "tests/support/expect_error.h"
#include "tests/support/planted_rows.h"

namespace bert {
namespace {

// Returns rows around `count` random directions. Row i is near direction i % count.
std::vector<float> blobs(test::Random& random, size_t rows, size_t size, size_t count, float noise) {
  const std::vector<float> directions = random.numbers(count * size, 3.0f);
  std::vector<float> vectors = random.numbers(rows * size, noise);
  for (size_t i = 0; i < rows; ++i) {
    const float length = 1.0f + random.uniform() / 2;
    for (size_t c = 0; c < size; ++c) vectors[i * size + c] += directions[i % count * size + c];
    for (size_t c = 0; c < size; ++c) vectors[i * size + c] *= length;
  }
  return vectors;
}

double squared_distance(const float* row, const float* center, size_t size) {
  double squares = 0, sum = 0;
  for (size_t c = 0; c < size; ++c) squares += double{row[c]} * row[c];
  for (size_t c = 0; c < size; ++c) {
    const double unit = squares > 0 ? row[c] / std::sqrt(squares) : 0;
    sum += (unit - center[c]) * (unit - center[c]);
  }
  return sum;
}

TEST(KMeans, FindsClustersThatAreFarApart) {
  test::Random random(5);
  constexpr size_t kRows = 1500, kSize = 12, kClusters = 7;
  const std::vector<float> rows = blobs(random, kRows, kSize, kClusters, 0.1f);
  const KMeans found = k_means(rows, kSize, {.clusters = kClusters});
  EXPECT_TRUE(found.has_converged);
  for (size_t i = 0; i < kRows; ++i) EXPECT_EQ(found.clusters[i], found.clusters[i % kClusters]) << i;
  EXPECT_EQ(std::set<uint32_t>(found.clusters.begin(), found.clusters.end()).size(), kClusters);
}

// In a converged result each row belongs to the nearest centre, and each centre is the mean of its rows.
TEST(KMeans, EndsWhereLloydsAlgorithmDoes) {
  test::Random random(6);
  constexpr size_t kRows = 1300, kSize = 10;
  std::vector<float> rows = random.numbers(kRows * kSize);
  std::fill_n(rows.begin(), kSize, 0.0f);
  for (const size_t clusters : {1u, 5u, 300u}) {
    const KMeans found = k_means(rows, kSize, {.clusters = clusters, .seed = 3, .most_iterations = 500});
    ASSERT_TRUE(found.has_converged);
    ASSERT_EQ(found.centers.size(), clusters * kSize);
    std::vector<double> sums(clusters * kSize);
    std::vector<size_t> sizes(clusters);
    double inertia = 0;
    for (size_t i = 0; i < kRows; ++i) {
      const float* row = &rows[i * kSize];
      double least = std::numeric_limits<double>::max();
      for (size_t k = 0; k < clusters; ++k) {
        least = std::min(least, squared_distance(row, &found.centers[k * kSize], kSize));
      }
      const double own = squared_distance(row, &found.centers[found.clusters[i] * kSize], kSize);
      EXPECT_NEAR(own, least, 1e-6) << i;
      inertia += own;
      ++sizes[found.clusters[i]];
      double squares = 0;
      for (size_t c = 0; c < kSize; ++c) squares += double{row[c]} * row[c];
      for (size_t c = 0; c < kSize && squares > 0; ++c) {
        sums[found.clusters[i] * kSize + c] += row[c] / std::sqrt(squares);
      }
    }
    EXPECT_NEAR(found.inertia, inertia, 1e-9 * (1 + inertia));
    EXPECT_EQ(found.sizes, sizes);
    EXPECT_TRUE(std::is_sorted(sizes.rbegin(), sizes.rend()));
    for (size_t i = 0; i < kRows; i += 99) {
      const float* center = &found.centers[found.clusters[i] * kSize];
      EXPECT_NEAR(found.cosines[i], test::plain_cosine(&rows[i * kSize], center, kSize), 1e-12);
    }
    for (size_t i = 0; i < sums.size(); ++i) {
      EXPECT_NEAR(found.centers[i], sums[i] / static_cast<double>(sizes[i / kSize]), 1e-6);
    }
  }
}

TEST(KMeans, GivesTheSameBitsForAnyThreadsAndOthersForAnotherSeed) {
  test::Random random(7);
  const std::vector<float> rows = random.numbers(2000 * 9);
  const KMeans one = k_means(rows, 9, {.clusters = 20, .seed = 1, .run = {.threads = 1}});
  const KMeans three = k_means(rows, 9, {.clusters = 20, .seed = 1, .run = {.threads = 3}});
  EXPECT_EQ(one.clusters, three.clusters);
  EXPECT_EQ(one.centers, three.centers);
  EXPECT_EQ(one.inertia, three.inertia);
  EXPECT_NE(one.clusters, k_means(rows, 9, {.clusters = 20, .seed = 2}).clusters);
}

TEST(KMeans, MakesNoMoreClustersThanRowsDiffer) {
  const std::vector<float> rows = {1, 0, 1, 0, 1, 0, 0, 1, 1, 0};  // two directions for four clusters
  const KMeans found = k_means(rows, 2, {.clusters = 4});
  EXPECT_EQ(found.clusters, (std::vector<uint32_t>{0, 0, 0, 1, 0}));
  EXPECT_EQ(found.sizes, (std::vector<size_t>{4, 1}));
  EXPECT_EQ(found.centers, (std::vector<float>{1, 0, 0, 1}));
  EXPECT_TRUE(found.has_converged);
}

TEST(KMeans, FindsTheFewRowsThatDifferAmongManyEqualOnes) {
  std::vector<float> rows;
  for (size_t row = 0; row < 100'000; ++row) rows.insert(rows.end(), {1, row == 77'777 ? 1.0F : 0.0F});
  const KMeans found = k_means(rows, 2, {.clusters = 1000});
  EXPECT_EQ(found.sizes, (std::vector<size_t>{99'999, 1}));
  EXPECT_EQ(found.clusters[77'777], 1u);
  EXPECT_TRUE(found.has_converged);
}

TEST(KMeans, MakesNoMoreIterationsThanAllowed) {
  test::Random random(8);
  const std::vector<float> rows = random.numbers(500 * 6);
  const KMeans found = k_means(rows, 6, {.clusters = 30, .most_iterations = 2});
  EXPECT_EQ(found.iterations, 2u);
  EXPECT_FALSE(found.has_converged);
}

TEST(KMeans, RejectsOptionsOutsideTheirRange) {
  const std::vector<float> rows = {1, 2, 3, 4};
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { k_means(rows, 2, {.clusters = 3}); }),
            "3 clusters of 2 rows, expected from 1 to the number of rows, below 2^32");
  EXPECT_NE(test::error_of(ErrorCode::kInvalidArgument, [&] { k_means(rows, 2, {.clusters = 0}); }), "");
  EXPECT_EQ(
      test::error_of(ErrorCode::kInvalidArgument, [&] { k_means(rows, 2, {.clusters = 1, .most_iterations = 0}); }),
      "0 iterations, expected 1 or more");
  EXPECT_NE(
      test::error_of(ErrorCode::kInvalidArgument, [&] { k_means(rows, 2, {.clusters = 1, .run = {.most_bytes = 9}}); }),
      "");
}

}  // namespace
}  // namespace bert
