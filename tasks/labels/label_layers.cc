#include "tasks/labels/label_layers.h"

#include <algorithm>
#include <vector>

namespace bert {

LinearPart read_dense(WeightReader& weights, const std::string& name, size_t out, size_t in) {
  return {weights.matrix(name + ".weight", out, in, WeightRole::kHead),
          weights.vector(name + ".bias", out, WeightRole::kHead).data()};
}

Norm read_norm(WeightReader& weights, const std::string& name, size_t width) {
  return {weights.vector(name + ".weight", width, WeightRole::kHead).data(),
          weights.vector(name + ".bias", width, WeightRole::kHead).data(), 1e-5};
}

size_t TwoLayers::widest_input() const { return std::max(first.weight.cols, second.weight.cols); }

Matrix TwoLayers::forward(ConstMatrixView x, const ProductRunner& products) const {
  Matrix inner(x.rows, first.weight.rows);
  products.multiply({.x = x, .parts = {&first, 1}, .activation = activation, .y = inner.view()});
  return apply(second, inner.view(), products);
}

Matrix apply(const LinearPart& layer, ConstMatrixView x, const ProductRunner& products) {
  Matrix y(x.rows, layer.weight.rows);
  products.multiply({.x = x, .parts = {&layer, 1}, .y = y.view()});
  return y;
}

void add_rows(MatrixView y, ConstMatrixView x) {
  for (size_t row = 0; row < y.rows; ++row) {
    for (size_t i = 0; i < y.cols; ++i) y.row(row)[i] += x.row(row)[i];
  }
}

Matrix rows_of(ConstMatrixView x, std::span<const size_t> rows) {
  Matrix y(rows.size(), x.cols);
  for (size_t i = 0; i < rows.size(); ++i) std::copy_n(x.row(rows[i]), x.cols, y.view().row(i));
  return y;
}

LinearPart columns_of(std::span<const float> matrix, size_t cols, size_t begin, size_t count, const float* bias,
                      WeightReader& weights) {
  const size_t rows = matrix.size() / cols;
  std::vector<float> part;
  part.reserve(rows * count);
  for (size_t at = begin; at < matrix.size(); at += cols) part.insert(part.end(), &matrix[at], &matrix[at] + count);
  return {{.data = weights.keep(part).data(), .rows = rows, .cols = count}, bias};
}

BidirectionalLstm read_lstm(WeightReader& weights, const std::string& prefix, size_t width, size_t layers) {
  const size_t size = width / 2;
  const auto part = [&](const char* from, size_t in, const std::string& ending) -> LinearPart {
    const std::string name = std::string("_") + from + ending;
    return {weights.matrix(prefix + "weight" + name, 4 * size, in, WeightRole::kHead),
            weights.vector(prefix + "bias" + name, 4 * size, WeightRole::kHead).data()};
  };
  BidirectionalLstm lstm;
  for (size_t layer = 0; layer < layers; ++layer) {
    const auto direction = [&](const std::string& ending) -> LstmDirection {
      const std::string end = "_l" + std::to_string(layer) + ending;
      return {part("ih", width, end), part("hh", size, end)};
    };
    lstm.layers.push_back({direction(""), direction("_reverse")});
  }
  return lstm;
}

}  // namespace bert
