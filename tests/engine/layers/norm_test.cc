#include "engine/layers/norm.h"

#include <gtest/gtest.h>

#include "tests/engine/layers/layer_setup.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

// The expected values are calculated by hand. The row 1 2 3 has mean 2 and variance 2/3. The row 5 5 5 has variance 0,
// so that only eps prevents a division by 0.
TEST(Norm, MatchesAHandCalculation) {
  const std::vector<float> weight = {2, 1, 1}, bias = {0, 0.5f, 1};
  std::vector<float> x = {1, 2, 3, 5, 5, 5};
  test::LayerSetup setup({.tokens = 2, .longest = 2, .hidden = 3, .wide = 3, .head_dim = 3});
  const MatrixView rows{x.data(), 2, 3, 3};
  Norm{weight.data(), bias.data(), 1e-12}.forward(rows, rows, setup.context());
  EXPECT_TRUE(test::within(5e-7, x, std::vector<double>{-2 * std::sqrt(1.5), 0.5, 1 + std::sqrt(1.5), 0, 0.5, 1}));
}

TEST(Norm, PutsEpsInsideTheSquareRoot) {
  const std::vector<float> weight = {1, 1}, bias = {0, 0};
  std::vector<float> x = {-1, 1};  // the variance is 1, and 1 / sqrt(1 + 3) is a half; 1 / (1 + sqrt(3)) is not
  test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 2, .wide = 2, .head_dim = 2});
  const MatrixView rows{x.data(), 1, 2, 2};
  Norm{weight.data(), bias.data(), 3}.forward(rows, rows, setup.context());
  EXPECT_EQ(x, (std::vector<float>{-0.5f, 0.5f}));
}

TEST(Norm, WritesElsewhereWithoutAMeanAndABiasIfItIsRms) {
  const std::vector<float> weight = {1, 2}, x = {3, -1, 0, 2};  // the mean squares are 5 and 2
  std::vector<float> y(4);
  test::LayerSetup setup({.tokens = 2, .longest = 1, .hidden = 2, .wide = 2, .head_dim = 2});
  const Norm norm{weight.data(), nullptr, 4, NormKind::kRmsNorm};
  norm.forward({x.data(), 2, 2, 2}, {y.data(), 2, 2, 2}, setup.context());
  EXPECT_TRUE(test::within(2e-7, y, std::vector<double>{1, -2.0 / 3, 0, 4 / std::sqrt(6)}));
}

TEST(Norm, GivesARowTheSameBitsAmongAnyOthersAndOnAnyNumberOfThreads) {
  const size_t rows = 37, hidden = 45;  // needs several tasks
  test::Random random(2);
  const test::NormWeights norm(hidden, random);
  const std::vector<float> x = random.numbers(rows * hidden);
  const auto run = [&](std::vector<float> values, size_t threads) {
    test::LayerSetup setup(
        {.tokens = rows, .longest = 1, .hidden = hidden, .wide = 1, .head_dim = 1, .threads = threads});
    const MatrixView view{values.data(), values.size() / hidden, hidden, hidden};
    norm.layer(1e-12).forward(view, view, setup.context());
    return values;
  };
  const std::vector<float> together = run(x, 1);
  EXPECT_TRUE(test::within(1e-5, together, norm.exact(test::widen(x), 1e-12)));
  EXPECT_TRUE(test::same_bits(run(x, 3), together));
  for (size_t row = 0; row < rows; ++row) {
    const std::vector<float> alone = run({&x[row * hidden], &x[row * hidden] + hidden}, 1);
    EXPECT_TRUE(test::same_bits(alone, {&together[row * hidden], hidden})) << "row " << row;
  }
}

}  // namespace
}  // namespace bert
