#include "tests/engine/kernels/isa/product_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "engine/kernels/gemm/cache_blocks.h"
#include "engine/kernels/products.h"
#include "tests/engine/kernels/isa/check_data.h"
#include "tests/engine/kernels/isa/table_check.h"
#include "tests/support/compare.h"
#include "tests/support/share.h"

namespace bert::test {
namespace {

struct GemmCase {
  size_t rows;
  size_t in;
  size_t outs;
  Numbers numbers = Numbers::kOrdinary;
  size_t number = 0;  // the case's number, which selects bias, residual and activation
};

std::string text_of(const GemmCase& c) {
  return "[" + std::to_string(c.rows) + ", " + std::to_string(c.in) + "] x [" + std::to_string(c.outs) + ", " +
         std::to_string(c.in) + "]";
}

void check_case(const ProductKernel& kernel, WeightFormat format, ProductArithmetic arithmetic, const GemmCase& c) {
  Random random(c.rows * 1'000'003 + c.in * 1009 + c.outs);
  const auto next = [&] { return make_number(random, c.numbers); };
  const size_t x_stride = c.in + 3, y_stride = c.outs + 5, residual_stride = c.outs + 1;
  Misaligned<float> x(c.rows * x_stride, next), bias(c.outs, next), residual(c.rows * residual_stride, next);
  Weights weights(format, c.outs, c.in, random, c.numbers);
  Misaligned<float> got(c.rows * y_stride, [] { return kUntouched; });
  Misaligned<float> expected(c.rows * y_stride, [] { return kUntouched; });
  AlignedBuffer<float> scratch = dirty_scratch(kGemmScratchFloats);

  GemmArgs args{};
  args.x = x.data();
  args.x_stride = x_stride;
  args.in = c.in;
  args.weight = weights.data();
  args.weight_scales = weights.scales();
  args.weight_sums = weights.sums();
  args.output = {.rows = c.rows,
                 .outs = c.outs,
                 .bias = c.number % 3 == 0 ? nullptr : bias.data(),
                 .activation = all_activations()[c.number % all_activations().size()],
                 .residual = c.number % 2 == 0 ? nullptr : residual.data(),
                 .residual_stride = residual_stride,
                 .y = expected.data(),
                 .y_stride = y_stride};
  args.scratch = scratch.data();
  const auto run = [&](const ProductKernel& with, float* y) {
    std::fill_n(scratch.data(), scratch.size(), std::numeric_limits<float>::quiet_NaN());
    args.output.y = y;
    args.blocks = cache_blocks(with, {.l1_data = 32768, .l2 = 1048576});
    AlignedBuffer<float> prepared;
    if (with.prepare != nullptr) {
      prepared = dirty_scratch(c.rows * with.prepared_row_floats(c.in));
      with.prepare({args.x, x_stride, c.rows, c.in, prepared.data()});
      args.prepared = prepared.data();
    }
    with.multiply(args);
  };
  const auto check = [&](const char* weights_are) {
    ASSERT_TRUE(same_bits({got.data(), got.size()}, {expected.data(), expected.size()})) << text_of(c) << weights_are;
    for (size_t row = 0; row < c.rows; ++row) {
      for (size_t gap = c.outs; gap < y_stride; ++gap) {
        ASSERT_EQ(got.data()[row * y_stride + gap], kUntouched) << text_of(c) << ", row " << row << ", past its end";
      }
    }
  };
  run(*products_for({})[kernel_index(format, arithmetic)], expected.data());
  run(kernel, got.data());
  check(", stored");
  if (::testing::Test::HasFatalFailure() || kernel.pack == nullptr) return;

  const size_t panels = (c.outs + kernel.output_tile - 1) / kernel.output_tile;
  AlignedBuffer<float> packed = dirty_scratch(panels * kernel.output_tile * kernel.packed_output_floats(c.in));
  kernel.pack(weights.data(), c.in, c.outs, packed.data());
  args.panels = packed.data();
  args.weight = nullptr;  // the packed product must not read it
  std::fill_n(got.data(), got.size(), kUntouched);
  run(kernel, got.data());
  check(", packed");
}

// The sizes are around the row tiles 2, 4, 6, 8 and 16, their multiples, and the limit between few and many rows;
// around 16, 48 and the blocks of k; and primes.
const std::vector<size_t> kRows = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                                   14, 15, 16, 17, 19, 20, 21, 31, 32, 33, 39, 40, 41, 65};
const std::vector<size_t> kIns = {0, 1, 2, 15, 16, 17, 31, 63, 64, 65, 127, 128, 129, 211};
const std::vector<size_t> kOuts = {1, 15, 16, 17, 31, 33, 47, 48, 49, 97};

}  // namespace

void check_product(const ProductKernel& kernel, WeightFormat format, ProductArithmetic arithmetic) {
  size_t number = 0;
  const Share share(11);  // 11 is coprime to the numbers of sizes and of activations
  for (const size_t rows : kRows) {
    for (const size_t in : kIns) {
      for (const size_t outs : kOuts) {
        // float32 runs all sizes. The other formats have the same tiles and run every third size.
        if (++number % 3 != 0 && format != WeightFormat::kF32) continue;
        if (!share.has(number)) continue;
        check_case(kernel, format, arithmetic, {.rows = rows, .in = in, .outs = outs, .number = number});
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
  // 192 outputs are the most of one call on the instruction set with the widest panels.
  for (const size_t rows : {5, 70, 96, 97}) {
    check_case(kernel, format, arithmetic, {.rows = rows, .in = 130, .outs = 192, .number = 1});
  }
  // These depths are around that of a group of panels, at which products of many rows are divided.
  for (const size_t rows : {1, 32, 33, 50, 100}) {
    for (const size_t in : {kGemmDepth - 1, kGemmDepth, kGemmDepth + 1, 2 * kGemmDepth + 65, 4 * kGemmDepth + 3}) {
      for (const size_t outs : {1, 17, 33}) {
        check_case(kernel, format, arithmetic, {.rows = rows, .in = in, .outs = outs, .number = ++number});
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

void check_product_of_hostile_numbers(const ProductKernel& kernel, WeightFormat format, ProductArithmetic arithmetic) {
  size_t number = 0;
  for (const Numbers numbers : {Numbers::kExtreme, Numbers::kHostile}) {
    for (const size_t rows : {1, 5, 15, 33}) {
      for (const size_t in : {1, 2, 5, 17, 64, 129}) {
        for (const size_t outs : {1, 16, 33}) {
          check_case(kernel, format, arithmetic,
                     {.rows = rows, .in = in, .outs = outs, .numbers = numbers, .number = number++});
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

}  // namespace bert::test
