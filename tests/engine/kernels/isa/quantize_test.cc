// Tests the portable product of 8-bit weights, which is the specification of all others. Compares it with the defined
// order in plain code, with C's rounding and sums of 64-bit integers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/base/aligned_buffer.h"
#include "engine/kernels/gemm/cache_blocks.h"
#include "engine/kernels/product_kernel.h"
#include "tests/support/compare.h"
#include "tests/support/random.h"

namespace bert {
namespace {

const ProductKernel& kernel_of(bool symmetric) {
  return symmetric ? kPortableInt8Products.symmetric : kPortableInt8Products.asymmetric;
}

struct QuantizedRow {
  float scale = 0;
  int zero = 0;
  std::vector<int> values;  // -128 to 127
};

// Returns the row as the kernel quantises it. The portable one stores each number in 32 bits, 16 floats after the row's
// beginning.
QuantizedRow quantized(const std::vector<float>& x, bool symmetric = false) {
  const ProductKernel& kernel = kernel_of(symmetric);
  AlignedBuffer<float> prepared(kernel.prepared_row_floats(x.size()));
  kernel.prepare({x.data(), x.size(), 1, x.size(), prepared.data()});
  QuantizedRow row;
  row.scale = prepared.data()[0];
  const auto integer = [&](size_t at) {
    int32_t value;
    std::memcpy(&value, prepared.data() + at, sizeof value);
    return value - 128;
  };
  row.zero = integer(1);
  for (size_t i = 0; i < x.size(); ++i) row.values.push_back(integer(16 + i));
  return row;
}

// Returns the row quantised by the formula of docs/NUMERICS.md.
QuantizedRow expected_row(const std::vector<float>& x, bool symmetric) {
  float least = 0, most = 0;
  for (const float value : x) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  QuantizedRow row;
  row.scale = symmetric ? std::max(-least, most) / 127.5f : (most - least) / 255.0f;
  if (row.scale == 0) row.scale = std::numeric_limits<float>::epsilon();
  const auto byte = [](float value) { return std::nearbyint(std::clamp(value, -128.0f, 127.0f)); };
  const float zero = symmetric ? 0.0f : byte(-128.0f - least / row.scale);
  row.zero = static_cast<int>(zero);
  for (const float value : x) row.values.push_back(static_cast<int>(byte(value / row.scale + zero)));
  return row;
}

TEST(QuantizedRow, MatchesAHandCalculation) {
  const QuantizedRow row = quantized({-1.0f, 0.0f, 3.0f, 1.0f});
  EXPECT_EQ(row.scale, 4.0f / 255);
  EXPECT_EQ(row.zero, -64);                                      // -128 + 63.75 = -64.25
  EXPECT_EQ(row.values, (std::vector<int>{-128, -64, 127, 0}));  // -127.75; -64; 127.25; -0.25
  const QuantizedRow symmetric = quantized({-1.0f, 0.0f, 3.0f, 1.0f}, true);
  EXPECT_EQ(symmetric.scale, 3.0f / 127.5f);
  EXPECT_EQ(symmetric.zero, 0);
  EXPECT_EQ(symmetric.values, (std::vector<int>{-42, 0, 127, 42}));  // -42.5 and 42.5 are rounded to even
}

TEST(QuantizedRow, RoundsHalvesToEven) {
  const QuantizedRow row = quantized({0.0f, 255.0f, 0.5f, 1.5f, 2.5f, 254.5f});
  EXPECT_EQ(row.scale, 1.0f);
  EXPECT_EQ(row.zero, -128);
  EXPECT_EQ(row.values, (std::vector<int>{-128, 127, -128, -126, -126, 126}));
}

TEST(QuantizedRow, HasAZeroThatIsExact) {
  EXPECT_EQ(quantized({0.0f, 0.0f}).values, (std::vector<int>{-128, -128}));
  EXPECT_EQ(quantized({0.0f, 0.0f}).zero, -128);
  EXPECT_EQ(quantized({0.0f, 0.0f}).scale, 0x1p-23f);
  // If all numbers have one sign, the range still begins or ends at 0.
  EXPECT_EQ(quantized({4.0f, 10.0f}).values, (std::vector<int>{-26, 127}));
  EXPECT_EQ(quantized({-4.0f, -10.0f}).values, (std::vector<int>{25, -128}));
}

TEST(QuantizedRow, FollowsItsWrittenOrder) {
  test::Random random(5);
  for (const size_t in : {1, 2, 3, 15, 16, 17, 33, 64, 257}) {
    for (int round = 0; round < 40; ++round) {
      std::vector<float> x(in);
      for (float& value : x) value = round % 2 == 0 ? random.number() : random.extreme();
      for (const bool symmetric : {false, true}) {
        const QuantizedRow got = quantized(x, symmetric), expected = expected_row(x, symmetric);
        if (std::isinf(expected.scale)) continue;  // the range overflows float32; tested below
        ASSERT_EQ(got.scale, expected.scale);
        ASSERT_EQ(got.zero, expected.zero);
        ASSERT_EQ(got.values, expected.values);
      }
    }
  }
}

// A product with bias, relu and residual. Its result is [rows, outs].
struct Case {
  size_t rows, in, outs;
  std::vector<float> x, scales, bias, residual;
  std::vector<int8_t> weight;

  Case(size_t rows_, size_t in_, size_t outs_) : rows(rows_), in(in_), outs(outs_) {
    test::Random random(rows * 1009 + in * 31 + outs);
    x = random.numbers(rows * in);
    scales = random.numbers(outs, 0.01f);
    bias = random.numbers(outs);
    residual = random.numbers(rows * outs);
    for (size_t i = 0; i < outs * in; ++i) weight.push_back(static_cast<int8_t>(random.bits()));
  }

  int64_t sum(size_t out, const std::vector<int>& factors) const {
    int64_t total = 0;
    for (size_t k = 0; k < in; ++k) total += factors[k] * weight[out * in + k];
    return total;
  }

  std::vector<float> run(bool symmetric) const {
    const ProductKernel& kernel = kernel_of(symmetric);
    AlignedBuffer<float> prepared(rows * kernel.prepared_row_floats(in)), scratch(kGemmScratchFloats);
    kernel.prepare({x.data(), in, rows, in, prepared.data()});
    std::vector<int32_t> sums;
    for (size_t out = 0; out < outs; ++out) sums.push_back(static_cast<int32_t>(sum(out, std::vector<int>(in, 1))));
    std::vector<float> y(rows * outs);
    GemmArgs args{};
    args.x = x.data();
    args.x_stride = in;
    args.prepared = prepared.data();
    args.in = in;
    args.weight = weight.data();
    args.weight_scales = scales.data();
    args.weight_sums = sums.data();
    args.output = {rows, outs, bias.data(), Activation::kRelu, residual.data(), outs, y.data(), outs};
    args.blocks = cache_blocks(kernel, {});
    args.scratch = scratch.data();
    kernel.multiply(args);
    return y;
  }

  std::vector<float> expected(bool symmetric) const {
    std::vector<float> y;
    for (size_t row = 0; row < rows; ++row) {
      const auto* begin = x.data() + row * in;
      QuantizedRow quantized = expected_row(std::vector<float>(begin, begin + in), symmetric);
      for (int& value : quantized.values) value -= quantized.zero;
      for (size_t out = 0; out < outs; ++out) {
        const float product = static_cast<float>(sum(out, quantized.values)) * quantized.scale * scales[out];
        y.push_back(std::max(product + bias[out], 0.0f) + residual[row * outs + out]);
      }
    }
    return y;
  }
};

TEST(Int8Product, IsExactInIntegersThenScaledInItsWrittenOrder) {
  for (const Case& c : {Case(1, 5, 3), Case(3, 64, 17), Case(20, 130, 33), Case(60, 100, 20), Case(50, 1700, 16)}) {
    for (const bool symmetric : {false, true}) {
      EXPECT_TRUE(test::same_bits(c.run(symmetric), c.expected(symmetric))) << c.rows << " rows, " << c.in << " inputs";
    }
  }
}

// The sums are the largest that the maximal number of inputs can have.
TEST(Int8Product, DoesNotOverflow) {
  Case c(1, kMaxInt8Inputs, 2);
  std::fill(c.x.begin(), c.x.end(), 1.0f);
  std::fill(c.weight.begin(), c.weight.begin() + kMaxInt8Inputs, -128);
  std::fill(c.weight.begin() + kMaxInt8Inputs, c.weight.end(), 127);
  EXPECT_TRUE(test::same_bits(c.run(false), c.expected(false)));
  EXPECT_TRUE(test::same_bits(c.run(true), c.expected(true)));
}

TEST(Int8Product, KeepsWhatIsNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity(), most = std::numeric_limits<float>::max();
  for (const std::vector<float>& x :
       {std::vector<float>{1, std::nanf(""), 2}, {1, infinity, 2}, {1, 2, -infinity}, {most, -most, 1}}) {
    Case c(1, 3, 20);
    c.x = x;
    for (const float y : c.run(false)) EXPECT_TRUE(std::isnan(y));
  }
}

}  // namespace
}  // namespace bert
