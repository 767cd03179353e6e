#include "tasks/search/scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "engine/kernels/products.h"
#include "tests/support/expect_error.h"
#include "tests/support/isa.h"
#include "tests/support/random.h"

namespace bert {
namespace {

constexpr size_t kTop = 10;

std::vector<float> unit_vectors(test::Random& random, size_t count, size_t size) {
  std::vector<float> vectors(count * size);
  for (size_t first = 0; first < vectors.size(); first += size) {
    double squares = 0;
    for (size_t i = 0; i < size; ++i) {
      vectors[first + i] = random.number();
      squares += static_cast<double>(vectors[first + i]) * vectors[first + i];
    }
    for (size_t i = 0; i < size; ++i) vectors[first + i] /= static_cast<float>(std::sqrt(squares));
  }
  return vectors;
}

// Returns the best rows by sorting all dot products in float64. Equal rows are in order.
std::vector<SearchHit> best_in_float64(const std::vector<float>& rows, std::span<const float> query, size_t top) {
  std::vector<SearchHit> all(rows.size() / query.size());
  for (size_t row = 0; row < all.size(); ++row) {
    all[row].row = row;
    for (size_t i = 0; i < query.size(); ++i) {
      all[row].score += static_cast<double>(query[i]) * rows[row * query.size() + i];
    }
  }
  std::erase_if(all, [](const SearchHit& hit) { return std::isnan(hit.score); });
  std::stable_sort(all.begin(), all.end(), [](const SearchHit& a, const SearchHit& b) { return a.score > b.score; });
  all.resize(std::min(top, all.size()));
  return all;
}

std::string text_of(const std::vector<SearchHit>& hits) {
  std::string text;
  for (const SearchHit& hit : hits) text += std::to_string(hit.row) + " " + std::to_string(hit.score) + "\n";
  return text;
}

void expect_float64s_best(const std::vector<float>& rows, const std::vector<float>& queries, size_t size,
                          const IndexOptions& options) {
  const VectorIndex index(rows, size, options);
  const auto found = index.search(queries, {.top = kTop});
  ASSERT_EQ(found.size(), queries.size() / size);
  for (size_t query = 0; query < found.size(); ++query) {
    const std::span<const float> numbers(queries.data() + query * size, size);
    EXPECT_EQ(text_of(found[query]), text_of(best_in_float64(rows, numbers, kTop))) << "query " << query;
  }
}

TEST(Scan, FindsFloat64sBestRowsByFloatsAndByIntegers) {
  test::Random random(11);
  for (const ScanRows scan : {ScanRows::kFloat32, ScanRows::kInt8}) {
    for (const size_t size : {3, 64, 100, 384}) {
      for (const size_t rows : {1, 9, 255, 257, 5000}) {
        SCOPED_TRACE(std::string(name(scan)) + " " + std::to_string(rows) + "x" + std::to_string(size));
        expect_float64s_best(unit_vectors(random, rows, size), unit_vectors(random, 3, size), size,
                             {.scan = scan, .threads = 2});
      }
    }
  }
}

// The rows' scores differ by less than the scan's precision.
TEST(Scan, FindsFloat64sBestRowsAmongNearlyEqualOnes) {
  test::Random random(12);
  constexpr size_t kSize = 48;
  const std::vector<float> one = unit_vectors(random, 1, kSize);
  std::vector<float> rows;
  for (size_t row = 0; row < 3000; ++row) {
    for (const float value : one) rows.push_back(value * (1 + 0x1p-22f * random.number()));
  }
  expect_float64s_best(rows, one, kSize, {.scan = ScanRows::kFloat32, .threads = 2});
  expect_float64s_best(rows, one, kSize, {.scan = ScanRows::kInt8, .threads = 2});
}

TEST(Scan, FindsFloat64sBestRowsOfVeryDifferentLengths) {
  test::Random random(13);
  constexpr size_t kSize = 32;
  std::vector<float> rows = unit_vectors(random, 2000, kSize);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] *= std::exp2(static_cast<float>(i / kSize % 40) - 20);
  const std::vector<float> queries = unit_vectors(random, 2, kSize);
  expect_float64s_best(rows, queries, kSize, {.scan = ScanRows::kFloat32, .threads = 2});
  expect_float64s_best(rows, queries, kSize, {.scan = ScanRows::kInt8, .threads = 2});
}

TEST(Scan, OrdersEqualRowsByTheirNumbers) {
  const std::vector<float> rows(3000 * 16, 0.25f);
  for (const ScanRows scan : {ScanRows::kFloat32, ScanRows::kInt8, ScanRows::kBinary}) {
    const VectorIndex index(rows, 16, {.scan = scan, .threads = 2});
    const std::vector<SearchHit> hits = index.search(std::vector<float>(16, 0.25f), {.top = 4})[0];
    ASSERT_EQ(hits.size(), 4u) << name(scan);
    for (size_t i = 0; i < hits.size(); ++i) EXPECT_EQ(hits[i].row, i) << name(scan);
    EXPECT_EQ(hits[0].score, 1) << name(scan);
  }
}

TEST(Scan, NeverFindsARowWithANan) {
  std::vector<float> rows(8 * 4, 0.5f);
  rows[4] = std::numeric_limits<float>::quiet_NaN();
  rows[9] = std::numeric_limits<float>::infinity();
  for (const ScanRows scan : {ScanRows::kFloat32, ScanRows::kInt8, ScanRows::kBinary}) {
    const VectorIndex index(rows, 4, {.scan = scan, .threads = 1});
    EXPECT_EQ(index.unusable_rows(), 2u);
    EXPECT_EQ(text_of(index.search(std::vector<float>{1, 0, 0, 0})[0]),
              "0 0.500000\n3 0.500000\n4 0.500000\n5 0.500000\n6 0.500000\n7 0.500000\n")
        << name(scan);
  }
}

// Compares the result with a slow calculation: the nearest rows by signs, and the best of these by floats.
TEST(Scan, FindsTheBestOfTheNearestBySigns) {
  test::Random random(14);
  constexpr size_t kSize = 70, kRows = 4000, kNearest = 50;
  const std::vector<float> rows = unit_vectors(random, kRows, kSize);
  const std::vector<float> query = unit_vectors(random, 1, kSize);
  std::vector<size_t> distance(kRows), order(kRows);
  for (size_t row = 0; row < kRows; ++row) {
    for (size_t i = 0; i < kSize; ++i) distance[row] += (rows[row * kSize + i] > 0) != (query[i] > 0);
  }
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return distance[a] < distance[b]; });
  std::vector<float> others_are_nan(kRows * kSize, std::numeric_limits<float>::quiet_NaN());
  for (size_t i = 0; i < kNearest; ++i) {
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(order[i] * kSize), kSize,
                others_are_nan.begin() + static_cast<std::ptrdiff_t>(order[i] * kSize));
  }
  const VectorIndex index(rows, kSize, {.scan = ScanRows::kBinary, .threads = 2});
  EXPECT_EQ(text_of(index.search(query, {.top = kTop, .candidates = kNearest})[0]),
            text_of(best_in_float64(others_are_nan, query, kTop)));
}

TEST(Scan, GivesTheSameOnEveryInstructionSetAndNumberOfThreads) {
  test::Random random(15);
  constexpr size_t kSize = 40;
  const std::vector<float> vectors = unit_vectors(random, 10000, kSize), query = unit_vectors(random, 1, kSize);
  for (const ScanRows scan : {ScanRows::kFloat32, ScanRows::kInt8, ScanRows::kBinary}) {
    RowBuilder builder(scan, kSize);
    std::vector<float> floats;
    AlignedBuffer<std::byte> small(10000 * small_row_bytes(scan, kSize));
    std::vector<Int8Row> int8_rows;
    for (size_t row = 0; row < 10000; ++row) {
      builder.convert({vectors.data() + row * kSize, kSize}, row);
      floats.insert(floats.end(), builder.floats().begin(), builder.floats().end());
      std::copy(builder.small().begin(), builder.small().end(), small.data() + row * builder.small().size());
      int8_rows.push_back(builder.int8_row());
    }
    const RowsView rows = {scan, 10000, kSize, floats.data(), small.data(), int8_rows.data(), builder.limits()};
    std::string first;
    for (const char* isa : test::kProductIsas) {
      if (!test::cpu_has(isa)) continue;
      for (const size_t threads : {1, 3}) {
        ThreadPool pool(threads);
        const auto found = search_rows(scans_for(allowed_cpu_features(isa)), rows, query, {.top = kTop}, pool);
        if (first.empty()) first = text_of(found[0]);
        EXPECT_EQ(text_of(found[0]), first) << name(scan) << " " << isa << " " << threads;
      }
    }
  }
}

TEST(Scan, RejectsQueriesThatAreNotVectors) {
  const VectorIndex index(std::vector<float>{1, 2, 3, 4}, 2);
  const auto error = [&](const std::vector<float>& queries, size_t top) {
    return test::error_of(ErrorCode::kInvalidArgument, [&] { index.search(queries, {.top = top}); });
  };
  EXPECT_EQ(error({1, 2, 3}, 1), "3 numbers of queries, expected vectors of 2");
  EXPECT_EQ(error({1, 2, std::numeric_limits<float>::quiet_NaN(), 0}, 1),
            "query 1 has a NaN, an infinity or a length above 1e18");
  EXPECT_EQ(error({1, 2}, 0), "the 0 best rows, expected 1 or more");
}

}  // namespace
}  // namespace bert
