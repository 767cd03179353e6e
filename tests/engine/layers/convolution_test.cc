#include "engine/layers/convolution.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/layers/layer_setup.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

constexpr size_t kConvolvedHidden = 6, kNeighbours = 3;

// Two texts; in the first, place 2 is masked.
struct ConvolvedBatch {
  std::vector<int32_t> ids = std::vector<int32_t>(7), types = ids, positions = ids, places = {0, 1, 3, 4, 0, 1, 2};
  std::vector<size_t> row_starts = {0, 4, 7};
  RaggedBatch view() const { return {ids, types, positions, row_starts, places}; }
};

// norm(y + tanh(bias + Σ weight · neighbour)), in float64.
test::Doubles exact_convolution(const test::Dense& dense, const test::NormWeights& norm, const ConvolvedBatch& batch,
                                const std::vector<float>& x, const std::vector<float>& y) {
  test::Doubles neighbours;
  for (size_t token = 0; token < batch.ids.size(); ++token) {
    const size_t text = token < batch.row_starts[1] ? 0 : 1;
    for (const int32_t offset : {-1, 0, 1}) {
      test::Doubles row(kConvolvedHidden, 0.0);
      for (size_t other = batch.row_starts[text]; other < batch.row_starts[text + 1]; ++other) {
        if (batch.places[other] != batch.places[token] + offset) continue;
        for (size_t c = 0; c < kConvolvedHidden; ++c) row[c] = static_cast<double>(x[other * kConvolvedHidden + c]);
      }
      neighbours.insert(neighbours.end(), row.begin(), row.end());
    }
  }
  test::Doubles sum = dense.exact(neighbours);
  for (size_t i = 0; i < sum.size(); ++i) sum[i] = static_cast<double>(y[i]) + std::tanh(sum[i]);
  return norm.exact(sum, 1e-7);
}

TEST(Convolution, ReadsTheNeighboursOfEachTokenInItsOwnText) {
  test::Random random(11);
  const test::Dense dense(kConvolvedHidden, kNeighbours * kConvolvedHidden, random);
  const test::NormWeights norm(kConvolvedHidden, random);
  const ConvolvedBatch batch;
  const size_t tokens = batch.ids.size();
  const std::vector<float> x = random.numbers(tokens * kConvolvedHidden), y = random.numbers(tokens * kConvolvedHidden);
  const Convolution convolution{kNeighbours, dense.linear(Activation::kTanh), norm.layer(1e-7)};
  test::LayerSetup setup({.tokens = tokens,
                          .longest = 4,
                          .hidden = kConvolvedHidden,
                          .wide = kNeighbours * kConvolvedHidden,
                          .keeps_input = true,
                          .threads = 2});
  test::put(x, setup.workspace().input());
  test::put(y, setup.workspace().hidden());
  convolution.forward(batch.view(), setup.workspace().input(), setup.workspace().hidden(), setup.context());
  EXPECT_TRUE(test::within(2e-6, test::get(setup.workspace().hidden()), exact_convolution(dense, norm, batch, x, y)));
}

}  // namespace
}  // namespace bert
