#include "engine/layers/convolution.h"

#include <gtest/gtest.h>
#include <array>
#include <cmath>
#include <vector>

#include "tests/engine/layers/layer_setup.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

constexpr size_t kConvolvedHidden = 6, kNeighbours = 3;

// A batch of two texts. In the first one place 2 is masked.
struct ConvolvedBatch {
  std::vector<int32_t> ids = std::vector<int32_t>(7), types = ids, positions = ids, places = {0, 1, 3, 4, 0, 1, 2};
  std::vector<size_t> row_starts = {0, 4, 7};
  RaggedBatch view() const { return {ids, types, positions, row_starts, places}; }
};

// Returns norm(y + tanh(bias + Σ weight · neighbour)), computed in float64.
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

// The batch has two texts. In the first one place 2 is masked.
TEST(Neighbours, AreTheTokensOfThePlacesAroundInTheSameText) {
  const std::vector<int32_t> ids(7), places = {0, 1, 3, 4, 0, 1, 2};
  const std::vector<size_t> row_starts = {0, 4, 7};
  const RaggedBatch batch{ids, ids, ids, row_starts, places};
  const auto around = [&](size_t token) {
    std::array<size_t, 3> rows{};
    find_neighbours(batch, token, 1, rows);
    return rows;
  };
  EXPECT_EQ(around(0), (std::array<size_t, 3>{kNoRow, 0, 1}));
  EXPECT_EQ(around(1), (std::array<size_t, 3>{0, 1, kNoRow}));
  EXPECT_EQ(around(2), (std::array<size_t, 3>{kNoRow, 2, 3}));
  EXPECT_EQ(around(4), (std::array<size_t, 3>{kNoRow, 4, 5}));
  EXPECT_EQ(around(6), (std::array<size_t, 3>{5, 6, kNoRow}));
}

// Compares two texts with float64. A masked token of the first text has no row, but its place counts.
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

constexpr size_t kSpanHidden = 10, kSpanHeads = 2, kSpanDim = 3, kSpanWidth = 3, kSpanOutputs = kSpanHeads * kSpanDim;

struct Parts {
  test::Random random{5};
  std::vector<float> depthwise = random.numbers(kSpanWidth * kSpanHidden);
  test::Dense pointwise{kSpanOutputs, kSpanHidden, random}, kernel{kSpanHeads * kSpanWidth, kSpanOutputs, random},
      values{kSpanOutputs, kSpanHidden, random};

  SpanConvolution layer() const {
    return {kSpanWidth, kSpanHeads, kSpanDim, depthwise.data(), pointwise.linear(), kernel.linear(), values.linear()};
  }

  // Returns the result for one text in float64.   x: [tokens, kSpanHidden], queries: [tokens, kSpanOutputs]
  test::Doubles exact(const test::Doubles& x, const test::Doubles& queries) const {
    const size_t tokens = x.size() / kSpanHidden;
    const auto for_neighbours = [&](size_t token, const auto& use) {
      for (size_t i = 0; i < kSpanWidth; ++i) {
        if (token + i >= 1 && token + i - 1 < tokens) use(i, token + i - 1);
      }
    };
    test::Doubles depth(x.size());
    for (size_t token = 0; token < tokens; ++token) {
      for_neighbours(token, [&](size_t i, size_t row) {
        for (size_t c = 0; c < kSpanHidden; ++c) {
          depth[token * kSpanHidden + c] += double{depthwise[i * kSpanHidden + c]} * x[row * kSpanHidden + c];
        }
      });
    }
    test::Doubles mixed = pointwise.exact(depth);
    for (size_t i = 0; i < mixed.size(); ++i) mixed[i] *= queries[i];
    const test::Doubles weights = kernel.exact(mixed), given = values.exact(x);
    test::Doubles y(tokens * kSpanOutputs);
    for (size_t token = 0; token < tokens; ++token) {
      for (size_t head = 0; head < kSpanHeads; ++head) {
        const double* of_head = &weights[(token * kSpanHeads + head) * kSpanWidth];
        double sum = 0;
        for (size_t i = 0; i < kSpanWidth; ++i) sum += std::exp(of_head[i]);
        for_neighbours(token, [&](size_t i, size_t row) {
          for (size_t d = head * kSpanDim; d < (head + 1) * kSpanDim; ++d) {
            y[token * kSpanOutputs + d] += std::exp(of_head[i]) / sum * given[row * kSpanOutputs + d];
          }
        });
      }
    }
    return y;
  }
};

TEST(SpanConvolution, WeighsTheNeighboursOfEachTokenByItself) {
  Parts parts;
  const test::Ragged texts({4, 1, 6});
  const RaggedBatch batch = texts.view();
  const std::vector<float> x = parts.random.numbers(batch.tokens() * kSpanHidden),
                           queries = parts.random.numbers(batch.tokens() * kSpanOutputs);
  const SpanConvolution layer = parts.layer();
  test::LayerSetup setup({.tokens = batch.tokens(),
                          .longest = 6,
                          .hidden = kSpanHidden,
                          .wide = kSpanOutputs,
                          .beside = layer.columns(kSpanHidden),
                          .threads = 2});
  const MatrixView wide = setup.workspace().wide(kSpanOutputs), hidden = setup.workspace().hidden();
  test::put(x, hidden);
  test::put(queries, wide);
  Matrix y(batch.tokens(), kSpanOutputs);
  layer.forward(batch, hidden, wide, y.view(), setup.context());
  const std::vector<float> found = test::get(y.view());
  for (size_t i = 0; i < batch.sequences(); ++i) {
    const size_t first = batch.row_starts[i], end = batch.row_starts[i + 1];
    const auto part = [&](const std::vector<float>& rows, size_t cols) {
      return std::vector<float>(&rows[first * cols], &rows[0] + end * cols);
    };
    EXPECT_TRUE(test::within(2e-6, part(found, kSpanOutputs),
                             parts.exact(test::widen(part(x, kSpanHidden)), test::widen(part(queries, kSpanOutputs)))))
        << i;
  }
}

}  // namespace

}  // namespace bert
