#include "engine/kernels/gemm/openblas_gemm.h"

#include <gtest/gtest.h>

#include <iostream>
#include <memory>

#include "bert/error.h"
#include "engine/kernels/gemm/native_gemm.h"
#include "tests/engine/kernels/gemm/gemm_check.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

class OpenBlas : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      gemm_ = std::make_unique<OpenBlasGemm>(kernels_for(detect_cpu_features()));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kNotFound);
      GTEST_SKIP() << "SKIPPED, " << error.what();
    }
  }
  // Compares the product with float64 and with the library's kernels, on several numbers of threads.
  void check(const test::ProductShape& shape) const {
    const test::ProductCase product(shape);
    ThreadPool alone(1);
    const std::vector<float> native = product.run(NativeGemm(products_for(detect_cpu_features())), alone);
    for (const size_t threads : {1, 2, 3, 5}) {
      ThreadPool pool(threads);
      const std::vector<float> got = product.run(*gemm_, pool);
      EXPECT_TRUE(test::within(product.tolerance(), got, product.exact())) << threads << " threads, against float64";
      EXPECT_TRUE(test::within(2 * product.tolerance(), got, native)) << threads << " threads, against our own";
    }
  }
  std::unique_ptr<OpenBlasGemm> gemm_;
};

TEST_F(OpenBlas, SaysWhichLibraryItIs) {
  std::cout << gemm_->description() << "\n";
  EXPECT_NE(gemm_->description().find("OpenBLAS"), std::string::npos);
}

TEST_F(OpenBlas, MultipliesF32) { check({.rows = 37, .in = 130, .outs = {70}}); }
TEST_F(OpenBlas, MultipliesOneRow) { check({.rows = 1, .in = 384, .outs = {100}}); }
TEST_F(OpenBlas, MultipliesNoRows) { check({.rows = 0, .in = 5, .outs = {7}}); }
TEST_F(OpenBlas, WidensF16) { check({.rows = 20, .in = 65, .outs = {33, 70}, .format = WeightFormat::kF16}); }
TEST_F(OpenBlas, WidensBF16) { check({.rows = 20, .in = 65, .outs = {33, 70}, .format = WeightFormat::kBF16}); }
TEST_F(OpenBlas, PutsPartsSideBySide) { check({.rows = 9, .in = 36, .outs = {36, 36, 36}}); }
TEST_F(OpenBlas, PutsPartsOfAnySizeSideBySide) { check({.rows = 5, .in = 17, .outs = {1, 50, 3, 16}}); }
TEST_F(OpenBlas, WorksWithoutBiasAndResidual) {
  check({.rows = 8, .in = 40, .outs = {24}, .with_bias = false, .with_residual = false});
}
TEST_F(OpenBlas, AddsTheResidualAfterTheActivation) {
  check({.rows = 8, .in = 40, .outs = {24}, .with_bias = true, .with_residual = true});
  check({.rows = 8, .in = 40, .outs = {24}, .activation = Activation::kIdentity});
}

}  // namespace
}  // namespace bert
