#include "engine/layers/prediction_head.h"

#include <gtest/gtest.h>

#include "tests/engine/layers/layer_setup.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

// Compares the head with float64. Its dense layer is wider than all else.
TEST(PredictionHead, IsDenseActivationLayerNormOutput) {
  test::Random random(5);
  const size_t hidden = 9, width = 40, outputs = 7, rows = 3;
  const test::Dense dense(width, hidden, random), output(outputs, width, random);
  const test::NormWeights norm(width, random);
  const std::vector<float> x = random.numbers(rows * hidden);
  test::LayerSetup setup({.tokens = rows, .longest = rows, .hidden = hidden, .wide = width, .head_dim = 1});
  std::vector<float> y(rows * outputs);
  const ConstMatrixView in{x.data(), rows, hidden, hidden};
  const MatrixView out{y.data(), rows, outputs, outputs};

  const PredictionHead head{{dense.linear(Activation::kRelu)}, norm.layer(1e-5), output.linear()};
  head.forward(in, out, setup.context());
  test::Doubles middle = dense.exact(test::widen(x));
  for (double& value : middle) value = std::max(value, 0.0);
  EXPECT_TRUE(test::within(1e-5, y, output.exact(norm.exact(middle, 1e-5))));

  const PredictionHead plain{{}, {}, dense.linear()};
  std::vector<float> wide(rows * width);
  plain.forward(in, {wide.data(), rows, width, width}, setup.context());
  EXPECT_TRUE(test::within(1e-5, wide, dense.exact(test::widen(x))));
}

}  // namespace
}  // namespace bert
