#include "tasks/labels/boundaries/boundary_scores.h"

#include <cmath>
#include <string>

namespace bert {

double BoundaryScores::inside(size_t label, const BoundaryPair& pair) const {
  const std::vector<double>& sums = insides[label];
  return (sums[pair.end] - sums[pair.start]) / std::sqrt(static_cast<double>(pair.words()));
}

BoundaryScorer::BoundaryScorer(WeightReader& weights, size_t boundary_width, size_t width) {
  const std::string all = "boundary_head.boundary_query_head.";
  const auto head = [&](const std::string& name, const char* items, size_t item_width) -> Head {
    return {read_dense(weights, all + name + items, boundary_width, item_width),
            read_dense(weights, all + name + "_query_projection", boundary_width, width)};
  };
  start_ = head("start", "_boundary_projection", boundary_width);
  end_ = head("end", "_boundary_projection", boundary_width);
  inside_ = head("inside", "_text_projection", width);
}

Matrix BoundaryScorer::scores(const Head& head, ConstMatrixView items, ConstMatrixView labels,
                              const ProductRunner& products) {
  const Matrix of_items = apply(head.item, items, products), of_labels = apply(head.label, labels, products);
  const LinearPart items_as_layer{{.data = of_items.view().data, .rows = of_items.rows(), .cols = of_items.cols()},
                                  nullptr};
  Matrix y = apply(items_as_layer, of_labels.view(), products);
  const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(of_items.cols())));
  for (size_t i = 0; i < y.rows() * y.cols(); ++i) y.view().data[i] *= scale;
  return y;
}

BoundaryScores BoundaryScorer::forward(ConstMatrixView states, ConstMatrixView words, ConstMatrixView labels,
                                       const ProductRunner& products) const {
  BoundaryScores result{scores(start_, states, labels, products), scores(end_, states, labels, products), {}};
  const Matrix insides = scores(inside_, words, labels, products);
  for (size_t label = 0; label < labels.rows; ++label) {
    std::vector<double>& sums = result.insides.emplace_back(1, 0.0);
    for (size_t word = 0; word < words.rows; ++word) {
      sums.push_back(sums.back() + static_cast<double>(insides.view().row(label)[word]));
    }
  }
  return result;
}

double wide_dot(const float* a, const float* b, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

}  // namespace bert
