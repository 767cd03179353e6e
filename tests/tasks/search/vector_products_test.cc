// Compares products with rows, computed in reused memory, with sums in float64.
#include "tasks/search/vector_products.h"

#include <gtest/gtest.h>

#include <vector>

#include "bert/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/random.h"

namespace bert {
namespace {

TEST(VectorProducts, AreTheDotProductsAndTouchNothingElse) {
  test::Random random(3);
  const VectorProducts products;
  VectorProducts::Room room;
  for (const size_t size : {1u, 33u, 7u}) {
    constexpr size_t kVectors = 5, kRows = 21, kStride = 24;
    const std::vector<float> vectors = random.numbers(kVectors * size), rows = random.numbers(kRows * size);
    std::vector<float> result(kVectors * kStride, 99.0f);
    products.multiply({vectors.data(), kVectors, size, size}, rows.data(), {result.data(), kVectors, kRows, kStride},
                      room);
    for (size_t i = 0; i < kVectors; ++i) {
      for (size_t row = 0; row < kStride; ++row) {
        double sum = row < kRows ? 0 : 99;
        for (size_t c = 0; row < kRows && c < size; ++c) sum += double{vectors[i * size + c]} * rows[row * size + c];
        EXPECT_NEAR(result[i * kStride + row], sum, row < kRows ? 1e-4 : 0) << i << " " << row;
      }
    }
  }
}

TEST(VectorProducts, NeedWholeVectors) {
  EXPECT_EQ(whole_vectors(12, 4), 3u);
  EXPECT_EQ(whole_vectors(0, 4), 0u);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [] { whole_vectors(13, 4); }),
            "13 numbers, expected whole vectors of 4");
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [] { whole_vectors(12, 0, "a query"); }),
            "a query of 12 numbers, expected whole vectors of 0");
}

}  // namespace
}  // namespace bert
