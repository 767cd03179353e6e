#include "tasks/labels/label_layers.h"

#include <gtest/gtest.h>

#include "tests/support/compare.h"
#include "tests/tasks/labels/label_tensors.h"

namespace bert {
namespace {

TEST(LabelLayers, AreTwoWithAnActivationBetween) {
  test::LabelTensors tensors;
  tensors.add("a", 7, 5);
  tensors.add("b", 3, 7);
  const TwoLayers layers = tensors.read([](WeightReader& weights) {
    return TwoLayers{read_dense(weights, "a", 7, 5), read_dense(weights, "b", 3, 7)};
  });
  EXPECT_EQ(layers.widest_input(), 7u);
  const std::vector<float> x = tensors.random().numbers(4 * 5);
  test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 4, .threads = 2});
  const ProductRunner products(setup.context(), layers.widest_input());
  const Matrix y = layers.forward({x.data(), 4, 5, 5}, products);
  const test::Doubles exact = tensors["b"].exact(test::relu_of(tensors["a"].exact(test::widen(x))));
  EXPECT_TRUE(test::within(1e-6, test::get(y.view()), exact));
}

TEST(LabelLayers, AreColumnsOfAMatrix) {
  test::LabelTensors tensors;
  const test::Dense& whole = tensors.add("a", 2, 5);
  const LinearPart part = tensors.read([](WeightReader& weights) {
    const float* bias = weights.vector("a.bias", 2, WeightRole::kHead).data();
    return columns_of(weights.floats("a.weight", 2, 5, WeightRole::kHead), 5, 1, 3, bias, weights);
  });
  ASSERT_EQ(part.weight.rows, 2u);
  ASSERT_EQ(part.weight.cols, 3u);
  const auto* numbers = static_cast<const float*>(part.weight.data);
  for (size_t row = 0; row < 2; ++row) {
    EXPECT_EQ(part.bias[row], whole.bias[row]);
    for (size_t column = 0; column < 3; ++column) {
      EXPECT_EQ(numbers[row * 3 + column], whole.weight[row * 5 + 1 + column]);
    }
  }
}

TEST(LabelLayers, ReadRowsInAnyOrder) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  const std::vector<size_t> rows = {2, 0, 2};
  EXPECT_EQ(test::get(rows_of({x.data(), 3, 2, 2}, rows).view()), (std::vector<float>{5, 6, 1, 2, 5, 6}));
}

TEST(LabelLayers, AreRecurrentByTheirNames) {
  test::LabelTensors tensors;
  for (const char* layer : {"_l0", "_l1"}) {
    for (const char* direction : {"", "_reverse"}) {
      const std::string end = std::string(layer) + direction;
      tensors.add(test::floats("rnn.weight_ih" + end, {12, 6}));
      tensors.add(test::floats("rnn.weight_hh" + end, {12, 3}));
      tensors.add(test::floats("rnn.bias_ih" + end, {12}));
      tensors.add(test::floats("rnn.bias_hh" + end, {12}));
    }
  }
  const BidirectionalLstm lstm = tensors.read([](WeightReader& weights) { return read_lstm(weights, "rnn.", 6, 2); });
  ASSERT_EQ(lstm.layers.size(), 2u);
  EXPECT_EQ(lstm.layers[1].backward.size(), 3u);
  EXPECT_EQ(lstm.widest_input(), 6u);
}

}  // namespace
}  // namespace bert
