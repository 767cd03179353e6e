#include "engine/layers/span_convolution.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/layers/layer_setup.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

constexpr size_t kSpanHidden = 10, kSpanHeads = 2, kSpanDim = 3, kSpanWidth = 3, kSpanOutputs = kSpanHeads * kSpanDim;

struct Parts {
  test::Random random{5};
  std::vector<float> depthwise = random.numbers(kSpanWidth * kSpanHidden);
  test::Dense pointwise{kSpanOutputs, kSpanHidden, random}, kernel{kSpanHeads * kSpanWidth, kSpanOutputs, random},
      values{kSpanOutputs, kSpanHidden, random};

  SpanConvolution layer() const {
    return {kSpanWidth, kSpanHeads, kSpanDim, depthwise.data(), pointwise.linear(), kernel.linear(), values.linear()};
  }

  // One text, in float64.   x: [tokens, kSpanHidden], queries: [tokens, kSpanOutputs]
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
