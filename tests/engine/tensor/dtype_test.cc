#include "engine/tensor/dtype.h"

#include <gtest/gtest.h>

#include <cmath>

namespace bert {
namespace {

// Returns the value of a binary16, which has 5 bits of exponent (bias 15) and 10 of fraction (IEEE 754-2019, 3.6).
double value_of_f16(uint16_t bits) {
  const double sign = bits >> 15 != 0 ? -1 : 1;
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

TEST(WidenF16, IsExactForEveryNumber) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const double expected = value_of_f16(static_cast<uint16_t>(bits));
    const float got = widen_f16(static_cast<uint16_t>(bits));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(got)) << bits;
    } else {
      ASSERT_EQ(static_cast<double>(got), expected) << bits;
      ASSERT_EQ(std::signbit(got), std::signbit(expected)) << bits;
    }
  }
}

TEST(WidenBF16, PutsZerosBehindEveryNumber) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    ASSERT_EQ(std::bit_cast<uint32_t>(widen_bf16(static_cast<uint16_t>(bits))), bits << 16);
  }
  EXPECT_EQ(widen_bf16(0x3F80), 1.0f);
  EXPECT_EQ(widen_bf16(0xC049), -3.140625f);
}

TEST(DTypes, HaveTheSizesOfSafetensors) {
  EXPECT_EQ(size_bytes(DType::kF64), 8u);
  EXPECT_EQ(size_bytes(DType::kF32), 4u);
  EXPECT_EQ(size_bytes(DType::kBF16), 2u);
  EXPECT_EQ(size_bytes(DType::kU8), 1u);
}

}  // namespace
}  // namespace bert
