#include "engine/checkpoint/int8_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/random.h"

namespace bert {
namespace {

struct Quantized {
  std::vector<int8_t> weights;
  std::vector<float> scales;
  std::vector<int32_t> sums;
  std::optional<size_t> refused;
};

template <class Element>
Quantized quantized(const std::vector<Element>& source, DType dtype, size_t cols, size_t threads = 1) {
  const size_t rows = source.size() / cols;
  Quantized result{std::vector<int8_t>(source.size()), std::vector<float>(rows), std::vector<int32_t>(rows), {}};
  const Int8Work work{reinterpret_cast<const std::byte*>(source.data()),
                      dtype,
                      rows,
                      cols,
                      result.weights.data(),
                      result.scales.data(),
                      result.sums.data()};
  result.refused = run_int8_work({&work, 1}, threads);
  return result;
}

TEST(Int8Weights, MatchAHandCalculation) {
  const Quantized got = quantized<float>({1, -0.5f, 0.25f, 0, 127.5f, -127.5f, 0, 0, 0}, DType::kF32, 3);
  EXPECT_EQ(got.scales, (std::vector<float>{1 / 127.5f, 1, 0x1p-23f}));
  // The rows before rounding are 127.5, -63.75, 31.875; 0, 127.5, -127.5, whose halves go to even; and zeros.
  EXPECT_EQ(got.weights, (std::vector<int8_t>{127, -64, 32, 0, 127, -128, 0, 0, 0}));
  EXPECT_EQ(got.sums, (std::vector<int32_t>{95, -1, 0}));
}

TEST(Int8Weights, AreRoundedAndClampedInFloat32) {
  test::Random random(3);
  const std::vector<float> source = random.numbers(200 * 77, 0.02f);
  for (const size_t threads : {1, 3}) {
    const Quantized got = quantized(source, DType::kF32, 77, threads);
    EXPECT_EQ(got.refused, std::nullopt);
    for (size_t row = 0; row < 200; ++row) {
      float largest = 0;
      for (size_t i = 0; i < 77; ++i) largest = std::max(largest, std::abs(source[row * 77 + i]));
      ASSERT_EQ(got.scales[row], largest / 127.5f);
      int32_t sum = 0;
      for (size_t i = 0; i < 77; ++i) {
        const float value = std::nearbyint(std::clamp(source[row * 77 + i] / got.scales[row], -128.0f, 127.0f));
        ASSERT_EQ(got.weights[row * 77 + i], static_cast<int>(value)) << row << ", " << i;
        sum += static_cast<int>(value);
      }
      ASSERT_EQ(got.sums[row], sum);
    }
  }
}

TEST(Int8Weights, AreMadeOfEveryWidthOfFloats) {
  const std::vector<int8_t> expected = {127, -64};
  EXPECT_EQ(quantized<uint16_t>({0x3C00, 0xB800}, DType::kF16, 2).weights, expected);
  EXPECT_EQ(quantized<uint16_t>({0x3F80, 0xBF00}, DType::kBF16, 2).weights, expected);
  EXPECT_EQ(quantized<double>({1, -0.5}, DType::kF64, 2).weights, expected);
}

TEST(Int8Weights, OfTheFileAreSummed) {
  const std::vector<int8_t> source = {1, -2, 3, -128, -128, -128};
  std::vector<int32_t> sums(2);
  const Int8Work work{
      reinterpret_cast<const std::byte*>(source.data()), DType::kI8, 2, 3, nullptr, nullptr, sums.data()};
  EXPECT_EQ(run_int8_work({&work, 1}, 1), std::nullopt);
  EXPECT_EQ(sums, (std::vector<int32_t>{2, -384}));
}

TEST(Int8Weights, ReportATensorWithANumberThatIsNotFinite) {
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    EXPECT_EQ(quantized<float>({1, 2, bad, 4}, DType::kF32, 2).refused, 0u);
  }
  EXPECT_EQ(quantized<double>({1, 1e300}, DType::kF64, 2).refused, 0u);
}

}  // namespace
}  // namespace bert
