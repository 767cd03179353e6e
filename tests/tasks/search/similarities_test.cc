// Compares the similarities of all pairs of vectors with plain calculations in float64.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "bert/error.h"
#include "bert/vectors.h"
#include "tests/support/expect_error.h"
#include "tests/support/random.h"

namespace bert {
namespace {

using Floats = std::vector<float>;

double plain(SimilarityFunction function, const float* a, const float* b, size_t size) {
  double dot = 0, a_squares = 0, b_squares = 0, squares = 0, absolutes = 0;
  for (size_t c = 0; c < size; ++c) {
    const double x = a[c], y = b[c];
    dot += x * y;
    a_squares += x * x;
    b_squares += y * y;
    squares += (x - y) * (x - y);
    absolutes += std::abs(x - y);
  }
  switch (function) {
    case SimilarityFunction::kCosine:
      return a_squares * b_squares > 0 ? dot / std::sqrt(a_squares * b_squares) : 0;
    case SimilarityFunction::kDot:
      return dot;
    case SimilarityFunction::kEuclidean:
      return -std::sqrt(squares);
    case SimilarityFunction::kManhattan:
      return -absolutes;
  }
  return 0;
}

constexpr SimilarityFunction kFunctions[] = {SimilarityFunction::kCosine, SimilarityFunction::kDot,
                                             SimilarityFunction::kEuclidean, SimilarityFunction::kManhattan};

TEST(Similarities, AreThoseOfEachPair) {
  test::Random random(5);
  for (const auto& [left, right, size] : {std::tuple<size_t, size_t, size_t>{1, 1, 1}, {3, 7, 5}, {70, 1030, 33}}) {
    Floats a = random.numbers(left * size);
    const Floats b = random.numbers(right * size);
    std::fill_n(a.begin(), size, 0.0f);  // a vector of zeros
    for (const SimilarityFunction function : kFunctions) {
      Floats one(left * right), two(left * right);
      similarities(function, a, b, size, one, 1);
      similarities(function, a, b, size, two, 2);
      EXPECT_EQ(one, two);
      for (size_t i = 0; i < left; ++i) {
        for (size_t k = 0; k < right; ++k) {
          const double expected = plain(function, a.data() + i * size, b.data() + k * size, size);
          ASSERT_NEAR(one[i * right + k], expected, 2e-5) << i << " " << k;
        }
      }
    }
  }
}

TEST(Similarities, OfNoVectorsAreNone) {
  const Floats b = {1, 2};
  for (const SimilarityFunction function : kFunctions) similarities(function, {}, b, 2, {});
}

TEST(Similarities, KeepWhatIsNotANumber) {
  const Floats a = {std::numeric_limits<float>::quiet_NaN(), 1}, b = {1, 1};
  for (const SimilarityFunction function : kFunctions) {
    float out = 0;
    similarities(function, a, b, 2, {&out, 1});
    EXPECT_TRUE(std::isnan(out));
  }
}

TEST(Similarities, NeedWholeVectorsAndRoom) {
  const Floats a = {1, 2, 3}, b = {1, 2};
  float out[2];
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { similarities(SimilarityFunction::kDot, a, b, 2, out); }),
            "3 numbers, expected whole vectors of 2");
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { similarities(SimilarityFunction::kDot, b, b, 2, out); }),
            "room for 2 similarities, expected 1");
}

}  // namespace
}  // namespace bert
