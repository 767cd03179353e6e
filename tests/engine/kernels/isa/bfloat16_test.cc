// Compares products in bfloat16 arithmetic with the definition of docs/NUMERICS.md, written here with std::fma.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/base/aligned_buffer.h"
#include "engine/kernels/gemm/cache_blocks.h"
#include "engine/kernels/products.h"
#include "tests/support/compare.h"
#include "tests/support/random.h"

namespace bert {
namespace {

// Returns the nearest bfloat16 to x. On a tie it is the one whose last bit is 0.
float nearest_bfloat16(float x) {
  if (std::isnan(x)) return x;
  if (std::abs(x) < 0x1p-56f) return std::copysign(0.0f, x);
  const float below = std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0xFFFF0000u);
  const uint32_t next = std::bit_cast<uint32_t>(below) + 0x10000;
  const double step =
      std::abs(static_cast<double>(std::bit_cast<float>(std::bit_cast<uint32_t>(below) & 0x7F800000u))) / 128;
  const double past = std::abs(static_cast<double>(x) - static_cast<double>(below));
  const bool is_up = past > step / 2 || (past == step / 2 && (next & 0x10000) == 0);
  return is_up ? std::bit_cast<float>(next) : below;
}

// Returns the sum of products as docs/NUMERICS.md defines it. The sum of each block of 128 inputs begins at 0; the
// inputs of a block are taken in pairs, and the second of a pair is added first.
float defined_sum(const float* x, const float* weight, size_t in) {
  float sum = 0;
  for (size_t block = 0; block < in; block += 128) {
    float of_block = 0;
    for (size_t i = block; i < std::min(block + 128, in); i += 2) {
      if (i + 1 < in) of_block = std::fma(nearest_bfloat16(x[i + 1]), nearest_bfloat16(weight[i + 1]), of_block);
      of_block = std::fma(nearest_bfloat16(x[i]), nearest_bfloat16(weight[i]), of_block);
    }
    sum = block == 0 ? of_block : sum + of_block;
  }
  return sum;
}

std::vector<float> product(const ProductKernel& kernel, const std::vector<float>& x, const std::vector<float>& weight,
                           size_t in) {
  const size_t rows = x.size() / in, outs = weight.size() / in;
  AlignedBuffer<float> prepared(rows * kernel.prepared_row_floats(in)), scratch(kGemmScratchFloats);
  kernel.prepare({.x = x.data(), .x_stride = in, .rows = rows, .in = in, .prepared = prepared.data()});
  std::vector<float> y(rows * outs);
  GemmArgs args{};
  args.prepared = prepared.data();
  args.in = in;
  args.weight = weight.data();
  args.output = {.rows = rows,
                 .outs = outs,
                 .bias = nullptr,
                 .activation = Activation::kIdentity,
                 .residual = nullptr,
                 .residual_stride = 0,
                 .y = y.data(),
                 .y_stride = outs};
  args.blocks = cache_blocks(kernel, {.l1_data = 32768, .l2 = 1048576});
  args.scratch = scratch.data();
  kernel.multiply(args);
  return y;
}

const ProductKernel& fastest() {
  return *products_for(detect_cpu_features())[kernel_index(WeightFormat::kF32, ProductArithmetic::kBFloat16)];
}

TEST(BFloat16Products, AddRoundedPairsInTheDefinedOrder) {
  for (const size_t in : {1, 2, 3, 127, 128, 129, 384, 1601}) {
    test::Random random(in);
    const std::vector<float> x = random.numbers(5 * in), weight = random.numbers(17 * in);
    std::vector<float> expected;
    for (size_t row = 0; row < 5; ++row) {
      for (size_t out = 0; out < 17; ++out) expected.push_back(defined_sum(&x[row * in], &weight[out * in], in));
    }
    EXPECT_TRUE(test::same_bits(product(kPortableBFloat16Products.f32, x, weight, in), expected)) << in;
    EXPECT_TRUE(test::same_bits(product(fastest(), x, weight, in), expected)) << in << ", " << fastest().name;
  }
}

// There is one input, and its weight is 1, so the output is the rounded x.
TEST(BFloat16Products, RoundToTheNearestEvenAndSmallNumbersToZero) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<std::pair<float, float>> cases = {
      {0x1.01p0f, 0x1.00p0f},  // a tie goes to even
      {0x1.03p0f, 0x1.04p0f},   {0x1.010002p0f, 0x1.02p0f},
      {-0x1.03p0f, -0x1.04p0f}, {0x1.FFp5f, 0x1p6f},
      {0x1p-56f, 0x1p-56f},     {0x1.FFFFFEp-57f, 0.0f},
      {0x1p-140f, 0.0f},        {std::numeric_limits<float>::max(), infinity},
      {infinity, infinity},
  };
  for (const ProductKernel* kernel : {&kPortableBFloat16Products.f32, &fastest()}) {
    for (const auto& [x, expected] : cases) {
      EXPECT_EQ(product(*kernel, {x}, {1.0f}, 1).front(), expected) << kernel->name << ", " << x;
      EXPECT_EQ(product(*kernel, {1.0f}, {x}, 1).front(), expected) << kernel->name << ", " << x;
    }
    // Truncated to 16 bits, this NaN would be an infinity.
    const auto nan = std::bit_cast<float>(uint32_t{0x7F800001});
    EXPECT_TRUE(std::isnan(product(*kernel, {nan}, {1.0f}, 1).front())) << kernel->name;
    EXPECT_TRUE(std::isnan(product(*kernel, {1.0f}, {nan}, 1).front())) << kernel->name;
  }
}

// The terms cancel except for the smallest product, 2^-112.
TEST(BFloat16Products, AreExactWhereProductsAreSmall) {
  std::vector<float> x(128, 0x1p-56f), weight(128, 0x1p-56f);
  for (size_t i = 0; i < 128; i += 2) weight[i] = i == 0 ? 0x1p-55f : -weight[i];
  for (const ProductKernel* kernel : {&kPortableBFloat16Products.f32, &fastest()}) {
    EXPECT_EQ(product(*kernel, x, weight, 128).front(), 3 * 0x1p-112f) << kernel->name;
  }
}

}  // namespace
}  // namespace bert
