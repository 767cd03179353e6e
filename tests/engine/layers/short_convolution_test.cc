#include "engine/layers/short_convolution.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/engine/layers/layer_setup.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

// In float64, over two texts; a masked token of the first one has no row and keeps its place.
TEST(ShortConvolution, SumsATokenAndThoseBeforeIt) {
  const std::vector<int32_t> places = {0, 1, 3, 4, 5, 0, 1};
  const std::vector<size_t> starts = {0, 5, 7};
  const size_t tokens = places.size(), channels = 5, width = 3;
  test::Random random(3);
  const std::vector<float> thirds = random.numbers(tokens * 3 * channels), weights = random.numbers(channels * width);
  const std::vector<int32_t> ids(tokens);
  const RaggedBatch batch{ids, ids, ids, starts, places};
  test::LayerSetup setup({.tokens = tokens, .hidden = channels});
  std::vector<float> y(tokens * channels);
  ShortConvolution{.channels = channels, .width = width, .weights = weights.data()}.forward(
      batch, {thirds.data(), tokens, 3 * channels, 3 * channels}, {y.data(), tokens, channels, channels},
      setup.context());
  test::Doubles expected;
  for (size_t row = 0; row < tokens; ++row) {
    for (size_t i = 0; i < channels; ++i) {
      double sum = 0;
      for (size_t from = row < 5 ? 0 : 5; from <= row; ++from) {
        const auto back = static_cast<size_t>(places[row] - places[from]);
        if (back >= width) continue;
        const float* const at = &thirds[from * 3 * channels];
        sum += static_cast<double>(weights[i * width + width - 1 - back]) * at[i] * at[2 * channels + i];
      }
      expected.push_back(sum * static_cast<double>(thirds[row * 3 * channels + channels + i]));
    }
  }
  EXPECT_TRUE(test::within(1e-6, y, expected));
}

}  // namespace
}  // namespace bert
