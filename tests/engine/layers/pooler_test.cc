#include "engine/layers/pooler.h"

#include <gtest/gtest.h>

#include "tests/engine/layers/layer_setup.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

TEST(Pooler, IsTanhOfTheDenseLayerOfEachFirstToken) {
  const size_t hidden = 20;
  test::Random random(14);
  const test::Dense dense(hidden, hidden, random);
  const test::Ragged batch({3, 1, 4});
  const std::vector<float> x = random.numbers(8 * hidden);
  test::LayerSetup setup({.tokens = 8, .longest = 4, .hidden = hidden, .wide = 1, .head_dim = 1});
  std::vector<float> pooled(3 * hidden);
  Pooler{dense.linear(Activation::kTanh)}.forward(batch.view(), {x.data(), 8, hidden, hidden},
                                                  {pooled.data(), 3, hidden, hidden}, setup.context());

  test::Doubles expected;
  for (const size_t first : {0, 3, 4}) {
    const test::Doubles row = dense.exact(test::widen({&x[first * hidden], &x[first * hidden] + hidden}));
    for (const double value : row) expected.push_back(std::tanh(value));
  }
  EXPECT_TRUE(test::within(1e-6, pooled, expected));
}

}  // namespace
}  // namespace bert
