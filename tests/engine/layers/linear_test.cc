#include "engine/layers/linear.h"

#include <gtest/gtest.h>

#include "tests/engine/layers/layer_setup.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

// The expected values are calculated by hand for the weight [[1, 2], [3, 4], [-1, 0]].
TEST(Linear, MultipliesByTheTransposedWeightAndAddsTheBias) {
  const std::vector<float> weight = {1, 2, 3, 4, -1, 0}, bias = {10, 20, 0}, x = {1, 1};
  std::vector<float> y(3);
  test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 3, .wide = 3, .head_dim = 3});
  const Linear linear{{{{weight.data(), WeightFormat::kF32, 3, 2}, bias.data()}}};
  linear.forward({x.data(), 1, 2, 2}, {y.data(), 1, 3, 3}, setup.context());
  EXPECT_EQ(y, (std::vector<float>{13, 27, -1}));
  EXPECT_EQ(linear.outs(), 3u);
}

// relu is applied before the residual is added.
TEST(Linear, ActivatesBeforeItAddsTheResidual) {
  const std::vector<float> weight = {1, 2, 3, 4, -1, 0}, bias = {10, 20, 0}, x = {1, 1}, residual = {100, 200, 300};
  std::vector<float> y(3);
  test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 3, .wide = 3, .head_dim = 3});
  const Linear linear{{{{weight.data(), WeightFormat::kF32, 3, 2}, bias.data()}}, Activation::kRelu};
  linear.forward({x.data(), 1, 2, 2}, {y.data(), 1, 3, 3}, setup.context(), {residual.data(), 1, 3, 3});
  EXPECT_EQ(y, (std::vector<float>{113, 227, 300}));
}

TEST(Linear, PutsItsPartsSideBySide) {
  test::Random random(4);
  const test::Dense first(5, 9, random), second(17, 9, random), third(1, 9, random);
  const std::vector<float> x = random.numbers(4 * 9);
  std::vector<float> y(4 * 23);
  test::LayerSetup setup({.tokens = 4, .longest = 4, .hidden = 23, .wide = 23, .head_dim = 23});
  const Linear linear{{first.part(), second.part(), third.part()}};
  EXPECT_EQ(linear.outs(), 23u);
  linear.forward({x.data(), 4, 9, 9}, {y.data(), 4, 23, 23}, setup.context());
  test::Doubles expected;
  for (size_t row = 0; row < 4; ++row) {
    const test::Doubles one = test::widen({&x[row * 9], &x[row * 9] + 9});
    for (const test::Dense* part : {&first, &second, &third}) {
      const test::Doubles values = part->exact(one);
      expected.insert(expected.end(), values.begin(), values.end());
    }
  }
  EXPECT_TRUE(test::within(2e-6, y, expected));
}

}  // namespace
}  // namespace bert
