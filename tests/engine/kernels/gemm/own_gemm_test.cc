#include "engine/kernels/gemm/own_gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "tests/engine/kernels/gemm/gemm_check.h"
#include "tests/support/compare.h"
#include "tests/support/isa.h"

namespace bert {
namespace {

// Every instruction set that the CPU has; kernels_test.cc says which were not run.
std::vector<const char*> isas() {
  std::vector<const char*> all;
  std::copy_if(test::kKernelIsas.begin(), test::kKernelIsas.end(), std::back_inserter(all), test::cpu_has);
  return all;
}

const KernelTable& kernels_of(const char* isa) { return kernels_for(allowed_cpu_features(isa)); }

// One part and several, narrower and wider than a panel; few rows and many.
const std::vector<test::ProductShape> kShapes = {
    {.rows = 1, .in = 64, .outs = {1}},
    {.rows = 3, .in = 65, .outs = {16, 16, 16}},
    {.rows = 33, .in = 130, .outs = {5, 40, 17}},
    {.rows = 32, .in = 36, .outs = {36, 36, 36}, .with_residual = false},
    {.rows = 200, .in = 48, .outs = {33}, .with_bias = false},
    {.rows = 7, .in = 100, .outs = {64, 3}, .dtype = DType::kF16, .activation = Activation::kIdentity},
    {.rows = 40, .in = 800, .outs = {300}},
    {.rows = 70, .in = 129, .outs = {31, 32, 33}, .dtype = DType::kBF16},
};

TEST(OwnGemm, IsNearFloat64OnEveryInstructionSet) {
  for (const test::ProductShape& shape : kShapes) {
    const test::ProductCase product(shape);
    for (const char* isa : isas()) {
      ThreadPool pool(2);
      EXPECT_TRUE(test::within(product.tolerance(), product.run(OwnGemm(kernels_of(isa)), pool), product.exact()))
          << isa << ", " << shape.rows << " rows, " << shape.outs.size() << " parts";
    }
  }
}

TEST(OwnGemm, GivesTheSameBitsOnAnyNumberOfThreadsAndAnyInstructionSet) {
  for (const test::ProductShape& shape : kShapes) {
    const test::ProductCase product(shape);
    ThreadPool alone(1);
    const std::vector<float> expected = product.run(OwnGemm(kPortableKernels), alone);
    for (const char* isa : isas()) {
      for (const size_t threads : {1, 2, 3, 7}) {
        ThreadPool pool(threads);
        EXPECT_TRUE(test::same_bits(product.run(OwnGemm(kernels_of(isa)), pool), expected))
            << isa << ", " << threads << " threads, " << shape.rows << " rows";
      }
    }
  }
}

TEST(OwnGemm, GivesARowTheSameBitsAloneAndAmongOthers) {
  const test::ProductCase product({.rows = 75, .in = 200, .outs = {40, 9}});
  for (const char* isa : isas()) {
    const OwnGemm gemm(kernels_of(isa));
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

TEST(OwnGemm, DoesNothingForNoRows) {
  const test::ProductCase product({.rows = 0, .in = 8, .outs = {8}});
  ThreadPool pool(2);
  EXPECT_TRUE(product.run(OwnGemm(kPortableKernels), pool).empty());
}

}  // namespace
}  // namespace bert
