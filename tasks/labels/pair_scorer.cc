#include "tasks/labels/pair_scorer.h"

#include <algorithm>

namespace bert {
namespace {

constexpr size_t kScoredAtOnce = 256;  // pairs in one product

}  // namespace

PairScorer::PairScorer(WeightReader& weights, const std::string& prefix, const char* item_layer, size_t width,
                       size_t outputs)
    : of_item_(read_dense(weights, prefix + item_layer, 2 * width, width)),
      of_label_(read_dense(weights, prefix + "proj_label", 2 * width, width)),
      output_(read_dense(weights, prefix + "out_mlp.3", outputs, 4 * width)) {
  const std::string inner = prefix + "out_mlp.0";
  const std::span<const float> matrix = weights.floats(inner + ".weight", 4 * width, 3 * width, WeightRole::kHead);
  const auto part = [&](size_t which, const float* bias) {
    return columns_of(matrix, 3 * width, which * width, width, bias, weights);
  };
  inner_item_ = part(0, weights.vector(inner + ".bias", 4 * width, WeightRole::kHead).data());
  inner_label_ = part(1, nullptr);
  inner_product_ = part(2, nullptr);
}

size_t PairScorer::widest_input() const { return output_.weight.cols; }

Matrix PairScorer::logits(ConstMatrixView items, ConstMatrixView labels, const ProductRunner& products) const {
  const size_t width = of_item_.weight.cols, inner = inner_product_.weight.rows, pairs = items.rows * labels.rows;
  const auto first_half = [&](const Matrix& x) { return ConstMatrixView{x.view().data, x.rows(), width, x.cols()}; };
  const Matrix item_parts = apply(of_item_, items, products), label_parts = apply(of_label_, labels, products);
  const Matrix of_items = apply(inner_item_, first_half(item_parts), products);
  const Matrix of_labels = apply(inner_label_, first_half(label_parts), products);
  Matrix logits(pairs, output_.weight.rows);
  Matrix product(std::min(kScoredAtOnce, pairs), width), sums(product.rows(), inner), values(product.rows(), inner);
  for (size_t begin = 0; begin < pairs; begin += kScoredAtOnce) {
    const size_t count = std::min(kScoredAtOnce, pairs - begin);
    products.pool().run_rows(count, [&](size_t row, size_t group) {
      for (const size_t end = row + group; row < end; ++row) {
        const size_t item = (begin + row) / labels.rows, label = (begin + row) % labels.rows;
        const float* a = item_parts.view().row(item) + width;
        const float* b = label_parts.view().row(label) + width;
        for (size_t i = 0; i < width; ++i) product.view().row(row)[i] = a[i] * b[i];
        const float* c = of_items.view().row(item);
        const float* d = of_labels.view().row(label);
        for (size_t i = 0; i < inner; ++i) sums.view().row(row)[i] = c[i] + d[i];
      }
    });
    const MatrixView inputs = values.view().row_range(0, count);
    products.multiply({.x = product.view().row_range(0, count),
                       .parts = {&inner_product_, 1},
                       .residual = sums.view().row_range(0, count),
                       .y = inputs});
    products.pool().run_rows(count, [&](size_t row, size_t group) {
      for (const size_t end = row + group; row < end; ++row) {
        products.kernels().activate(inputs.row(row), inputs.cols, Activation::kRelu);
      }
    });
    products.multiply({.x = inputs, .parts = {&output_, 1}, .y = logits.view().row_range(begin, count)});
  }
  return logits;
}

}  // namespace bert
