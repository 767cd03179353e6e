#include "engine/kernels/gemm/native_gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <thread>

#include "tests/engine/kernels/gemm/gemm_check.h"
#include "tests/support/compare.h"
#include "tests/support/isa.h"

namespace bert {
namespace {

// Returns every instruction set of the CPU. products_test.cc prints the others.
std::vector<const char*> isas() {
  std::vector<const char*> all;
  std::copy_if(test::kProductIsas.begin(), test::kProductIsas.end(), std::back_inserter(all), test::cpu_has);
  if (test::cpu_has(test::kBFloat16Isas.back())) all.push_back(test::kBFloat16Isas.back());
  return all;
}

NativeGemm gemm_of(const char* isa) { return NativeGemm(products_for(allowed_cpu_features(isa))); }

// The shapes have one or several parts, narrower or wider than a panel, and few or many rows.
const std::vector<test::ProductShape> kShapes = {
    {.rows = 1, .in = 64, .outs = {1}},
    {.rows = 3, .in = 65, .outs = {16, 16, 16}},
    {.rows = 33, .in = 130, .outs = {5, 40, 17}},
    {.rows = 32, .in = 36, .outs = {36, 36, 36}, .with_residual = false},
    {.rows = 200, .in = 48, .outs = {33}, .with_bias = false},
    {.rows = 7, .in = 100, .outs = {64, 3}, .format = WeightFormat::kF16, .activation = Activation::kIdentity},
    {.rows = 40, .in = 800, .outs = {300}},
    {.rows = 70, .in = 129, .outs = {31, 32, 33}, .format = WeightFormat::kBF16},
    {.rows = 5, .in = 129, .outs = {31, 32, 33}, .format = WeightFormat::kI8},
    {.rows = 70, .in = 384, .outs = {100}, .format = WeightFormat::kI8},
    {.rows = 30, .in = 67, .outs = {40, 9}, .format = WeightFormat::kI8Symmetric},
    {.rows = 5, .in = 129, .outs = {31, 32, 33}, .arithmetic = ProductArithmetic::kBFloat16},
    {.rows = 70, .in = 800, .outs = {100}, .arithmetic = ProductArithmetic::kBFloat16},
    {.rows = 30, .in = 67, .outs = {40, 9}, .format = WeightFormat::kBF16, .arithmetic = ProductArithmetic::kBFloat16},
};

// The first product stores panels, and later ones read them.
TEST(NativeGemm, GivesTheSameBitsFromPackedWeights) {
  for (const test::ProductShape& shape : kShapes) {
    test::ProductCase product(shape);
    for (const char* isa : isas()) {
      const NativeGemm gemm = gemm_of(isa);
      ThreadPool pool(2);
      const std::vector<float> expected = product.run(gemm, pool);
      const test::PackedParts packed(product);
      for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(test::same_bits(product.run(gemm, pool), expected)) << isa << ", " << shape.rows << " rows";
        EXPECT_TRUE(packed.are_whole(gemm));
      }
    }
  }
}

// While one product makes the panels, the others read the weights.
TEST(NativeGemm, GivesTheSameBitsToThreadsThatPackAtOnce) {
  test::ProductCase product({.rows = 20, .in = 300, .outs = {300, 48}});
  const NativeGemm gemm = gemm_of(isas().back());
  ThreadPool alone(1);
  const std::vector<float> expected = product.run(gemm, alone);
  for (int round = 0; round < 20; ++round) {
    const test::PackedParts packed(product);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        ThreadPool pool(1);
        for (int run = 0; run < 3; ++run) EXPECT_TRUE(test::same_bits(product.run(gemm, pool), expected));
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(packed.are_whole(gemm));
  }
}

TEST(NativeGemm, IsNearFloat64OnEveryInstructionSet) {
  for (const test::ProductShape& shape : kShapes) {
    const test::ProductCase product(shape);
    for (const char* isa : isas()) {
      ThreadPool pool(2);
      EXPECT_TRUE(test::within(product.tolerance(), product.run(gemm_of(isa), pool), product.exact()))
          << isa << ", " << shape.rows << " rows, " << shape.outs.size() << " parts";
    }
  }
}

TEST(NativeGemm, GivesTheSameBitsOnAnyNumberOfThreadsAndAnyInstructionSet) {
  for (const test::ProductShape& shape : kShapes) {
    const test::ProductCase product(shape);
    ThreadPool alone(1);
    const std::vector<float> expected = product.run(gemm_of("portable"), alone);
    for (const char* isa : isas()) {
      for (const size_t threads : {1, 2, 3, 7}) {
        ThreadPool pool(threads);
        EXPECT_TRUE(test::same_bits(product.run(gemm_of(isa), pool), expected))
            << isa << ", " << threads << " threads, " << shape.rows << " rows";
      }
    }
  }
}

constexpr ProductArithmetic kArithmetics[] = {ProductArithmetic::kOfFormat, ProductArithmetic::kBFloat16};

void check_rows_alone(ProductArithmetic arithmetic) {
  const test::ProductCase product({.rows = 75, .in = 200, .outs = {40, 9}, .arithmetic = arithmetic});
  for (const char* isa : isas()) {
    const NativeGemm gemm = gemm_of(isa);
    ThreadPool pool(2);
    const std::vector<float> all = product.run(gemm, pool);
    for (const size_t rows : {1, 5, 32, 33}) {
      for (size_t first = 0; first + rows <= 75; first += 21) {
        const std::span<const float> expected(all.data() + first * product.outs(), rows * product.outs());
        EXPECT_TRUE(test::same_bits(product.run(gemm, pool, first, rows), expected))
            << isa << ", rows " << first << " to " << first + rows;
      }
    }
  }
}

TEST(NativeGemm, GivesARowTheSameBitsAloneAndAmongOthers) {
  for (const ProductArithmetic arithmetic : kArithmetics) check_rows_alone(arithmetic);
}

void check_caches(ProductArithmetic arithmetic) {
  const test::ProductCase product({.rows = 200, .in = 800, .outs = {300, 33}, .arithmetic = arithmetic});
  ThreadPool pool(2);
  const std::vector<float> expected = product.run(gemm_of("portable"), pool);
  for (const char* isa : isas()) {
    const ProductKernels kernels = products_for(allowed_cpu_features(isa));
    for (const CacheSizes caches : {CacheSizes{.l1_data = 1, .l2 = 1},
                                    {.l1_data = 16384, .l2 = 262144},
                                    {.l1_data = 32768, .l2 = 524288},
                                    {.l1_data = size_t{1} << 24, .l2 = size_t{1} << 30}}) {
      EXPECT_TRUE(test::same_bits(product.run(NativeGemm(kernels, caches), pool), expected))
          << isa << ", L1 " << caches.l1_data << ", L2 " << caches.l2;
    }
  }
}

// Cache sizes change the blocks of a product, but not the order of its sums.
TEST(NativeGemm, GivesTheSameBitsForCachesOfAnySize) {
  for (const ProductArithmetic arithmetic : kArithmetics) check_caches(arithmetic);
}

// Query, key and value may be stored in different formats.
TEST(NativeGemm, MultipliesPartsOfDifferentFormats) {
  for (const char* isa : isas()) {
    const NativeGemm gemm = gemm_of(isa);
    const test::ProductShape floats = {.rows = 20, .in = 70, .outs = {33, 48, 5}};
    test::ProductShape mixed = floats;
    mixed.formats = {WeightFormat::kBF16, WeightFormat::kI8, WeightFormat::kF16};
    const test::ProductCase product(mixed);
    ThreadPool pool(2);
    EXPECT_TRUE(test::within(product.tolerance(), product.run(gemm, pool), product.exact())) << isa;
  }
}

// A kernel with a preparation: halve() halves each x and counts the rows, and multiply_halved() doubles each x again.
std::atomic<size_t> rows_prepared{0};
std::atomic<size_t> rows_when_multiplied{0};
size_t halved_row_floats(size_t in) { return in + 2; }
void halve(const PrepareArgs& args) {
  for (size_t row = 0; row < args.rows; ++row) {
    for (size_t k = 0; k < args.in; ++k) {
      args.prepared[row * halved_row_floats(args.in) + k] = args.x[row * args.x_stride + k] / 2;
    }
  }
  rows_prepared += args.rows;
}
void multiply_halved(const GemmArgs& args) {
  rows_when_multiplied = rows_prepared.load();
  const auto* weight = static_cast<const float*>(args.weight);
  for (size_t row = 0; row < args.output.rows; ++row) {
    for (size_t out = 0; out < args.output.outs; ++out) {
      float sum = 0;
      for (size_t k = 0; k < args.in; ++k) {
        sum += 2 * args.prepared[row * halved_row_floats(args.in) + k] * weight[out * args.in + k];
      }
      args.output.y[row * args.output.y_stride + out] = sum;
    }
  }
}

TEST(NativeGemm, PreparesEachRowOnceForAllThreads) {
  constexpr ProductKernel kPreparing = {.name = "halving",
                                        .row_tile = 4,
                                        .output_tile = 8,
                                        .max_group_panels = 2,
                                        .prepare = halve,
                                        .prepared_row_floats = halved_row_floats,
                                        .multiply = multiply_halved,
                                        .pack = nullptr,
                                        .packed_output_floats = nullptr};
  ProductKernels kernels = products_for({});
  kernels[static_cast<size_t>(WeightFormat::kF32)] = &kPreparing;
  const NativeGemm gemm(kernels);
  const test::ProductCase product({.rows = 150,
                                   .in = 40,
                                   .outs = {70, 9},
                                   .with_bias = false,
                                   .with_residual = false,
                                   .activation = Activation::kIdentity});
  for (const size_t threads : {1, 3}) {
    ThreadPool pool(threads);
    rows_prepared = 0;
    EXPECT_TRUE(test::within(product.tolerance(), product.run(gemm, pool), product.exact())) << threads << " threads";
    EXPECT_EQ(rows_prepared, 150u);
    EXPECT_EQ(rows_when_multiplied, 150u);
  }
}

TEST(NativeGemm, NeedsSharedScratchForTheRowsThatItQuantizes) {
  EXPECT_GE(gemm_of("portable").shared_scratch_floats(1000, 3072), 1000 * 3072u);
  EXPECT_EQ(gemm_of("portable").shared_scratch_floats(1000, 0), 0u);
}

// One of the 96 numbers in the fourth row is so large that the others are below a step.
TEST(NativeGemm, CountsCoarseRowsOfEightBits) {
  constexpr size_t kRows = 5, kIn = 96, kOuts = 40;
  std::vector<float> x = test::Random(3).numbers(kRows * kIn), y(kRows * kOuts);
  x[3 * kIn + 7] = 1.2e5f;
  const std::vector<float> floats(kOuts * kIn, 0.5f), scales(kOuts, 0.5f);
  const std::vector<int8_t> bytes(kOuts * kIn, 1);
  const std::vector<int32_t> sums(kOuts, kIn);
  for (const WeightFormat format : {WeightFormat::kI8, WeightFormat::kI8Symmetric, WeightFormat::kF32}) {
    const bool is_int8 = element_bytes(format) == 1;
    LinearPart part{{floats.data(), format, kOuts, kIn}, nullptr};
    if (is_int8) part.weight = {bytes.data(), format, kOuts, kIn, scales.data(), sums.data()};
    for (const char* isa : isas()) {
      const NativeGemm gemm = gemm_of(isa);
      for (const size_t threads : {1, 3}) {
        ThreadPool pool(threads);
        std::vector<AlignedBuffer<float>> memory;
        std::vector<ScratchView> scratch;
        for (size_t slot = 0; slot < threads; ++slot) {
          memory.emplace_back(gemm.scratch_floats(kIn));
          scratch.push_back({memory.back().data(), memory.back().size()});
        }
        AlignedBuffer<float> shared(gemm.shared_scratch_floats(kRows, kIn));
        std::vector<uint32_t> counts(kRows, 10);
        gemm.multiply({.x = {x.data(), kRows, kIn, kIn},
                       .parts = {&part, 1},
                       .y = {y.data(), kRows, kOuts, kOuts},
                       .coarse_rows = counts.data()},
                      pool, {scratch, {shared.data(), shared.size()}});
        EXPECT_EQ(counts, (std::vector<uint32_t>{10, 10, 10, is_int8 ? 11u : 10u, 10})) << isa;
      }
    }
  }
}

TEST(NativeGemm, DoesNothingForNoRows) {
  const test::ProductCase product({.rows = 0, .in = 8, .outs = {8}});
  ThreadPool pool(2);
  EXPECT_TRUE(product.run(gemm_of("portable"), pool).empty());
}

}  // namespace
}  // namespace bert
