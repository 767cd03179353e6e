// Compares many numbers at once. A failure says how many differ, the index of the worst one, and both values there.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace bert::test {

inline bool same_bits(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

// Asserts that all numbers have the same bits. Any NaN equals any other NaN.
inline ::testing::AssertionResult same_bits(std::span<const float> got, std::span<const float> expected) {
  if (got.size() != expected.size()) {
    return ::testing::AssertionFailure() << got.size() << " values, expected " << expected.size();
  }
  size_t different = 0;
  size_t worst = 0;
  double worst_difference = -1;
  for (size_t i = 0; i < got.size(); ++i) {
    if (same_bits(got[i], expected[i])) continue;
    ++different;
    double difference = std::abs(static_cast<double>(got[i]) - static_cast<double>(expected[i]));
    if (std::isnan(difference)) difference = std::numeric_limits<double>::infinity();
    if (difference <= worst_difference) continue;
    worst_difference = difference;
    worst = i;
  }
  if (different == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << different << " of " << got.size() << " values have other bits, worst at "
                                       << worst << ": " << std::hexfloat << got[worst] << ", expected "
                                       << expected[worst];
}

// The largest difference of two arrays, and its index. If only one of the arrays has a NaN, the difference is infinite.
struct Worst {
  double error = 0;
  size_t index = 0;
  double got = 0;
  double expected = 0;
};

template <class Got, class Expected>
Worst worst_of(const Got& got, const Expected& expected) {
  Worst worst;
  for (size_t i = 0; i < got.size(); ++i) {
    const auto a = static_cast<double>(got[i]);
    const auto b = static_cast<double>(expected[i]);
    double error = std::isnan(a) && std::isnan(b) ? 0 : a == b ? 0 : std::abs(a - b);
    if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
    if (error <= worst.error) continue;
    worst = {error, i, a, b};
  }
  return worst;
}

// Asserts |got - expected| <= tolerance for all numbers.
template <class Got, class Expected>
::testing::AssertionResult within(double tolerance, const Got& got, const Expected& expected) {
  if (got.size() != expected.size()) {
    return ::testing::AssertionFailure() << got.size() << " values, expected " << expected.size();
  }
  const Worst worst = worst_of(got, expected);
  if (worst.error <= tolerance) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "worst at " << worst.index << " of " << got.size() << ": " << worst.got
                                       << ", expected " << worst.expected << ", differs by " << worst.error
                                       << ", at most " << tolerance << " allowed";
}

// Expects the largest error of `got` to be at most twice the largest error of plain float32 loops. Returns the first
// error divided by the second.
template <class Got, class Plain, class Exact>
double error_by_that_of_plain_loops(const Got& got, const Plain& plain, const Exact& exact) {
  EXPECT_EQ(got.size(), exact.size());
  if (got.size() != exact.size()) return std::numeric_limits<double>::infinity();
  const double own = worst_of(got, exact).error, error = worst_of(plain, exact).error;
  EXPECT_LE(own, 2 * error);
  return own / error;
}

}  // namespace bert::test
