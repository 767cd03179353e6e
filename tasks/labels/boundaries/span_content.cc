#include "tasks/labels/boundaries/span_content.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/base/elementary.h"
#include "tasks/labels/label_layers.h"

namespace bert {
namespace {

// For each boundary, the sums of the values before it, or logarithms of sums of their exponentials: [words + 1, width].
struct Prefixes {
  size_t width;
  std::vector<double> sums, logarithms;

  Prefixes(ConstMatrixView values, bool has_maximum) : width(values.cols) {
    const size_t count = (values.rows + 1) * width;
    sums.resize(count);
    // The reference's logarithm for no words, a number as small as float32 allows.
    if (has_maximum) logarithms.resize(count, static_cast<double>(std::numeric_limits<float>::lowest()) / 4);
    for (size_t row = 0; row < values.rows; ++row) {
      for (size_t i = 0; i < width; ++i) {
        const auto value = static_cast<double>(values.row(row)[i]);
        const size_t at = row * width + i;
        sums[at + width] = sums[at] + value;
        if (!has_maximum) continue;
        const double larger = std::max(logarithms[at], value), smaller = std::min(logarithms[at], value);
        logarithms[at + width] = row == 0 ? value : larger + log_of_one_plus(exponential_of(smaller - larger));
      }
    }
  }

  double mean(const BoundaryPair& span, size_t i) const {
    return (sums[span.end * width + i] - sums[span.start * width + i]) / static_cast<double>(span.words());
  }

  // As in the reference, the difference of the logarithms is at least 1e-6.
  double maximum(const BoundaryPair& span, size_t i) const {
    const double start = logarithms[span.start * width + i], end = logarithms[span.end * width + i];
    const double maximum = end + log_of_one_plus(-exponential_of(std::min(start - end, -1e-6)));
    return std::isfinite(maximum) ? maximum : 0;
  }
};

}  // namespace

SpanContent::SpanContent(WeightReader& weights, const std::string& prefix, const SpanContentSettings& settings,
                         size_t width)
    : settings_(settings),
      values_(read_dense(weights, prefix + "value_projection", settings.width, width)),
      norm_(read_norm(weights, prefix + "layer_norm", settings.outputs())) {}

Matrix SpanContent::forward(ConstMatrixView words, std::span<const BoundaryPair> spans,
                            const ProductRunner& products) const {
  const Matrix values = apply(values_, words, products);
  const Prefixes prefixes(values.view(), settings_.has_maximum);
  Matrix content(spans.size(), settings_.outputs());
  products.pool().run_rows(spans.size(), [&](size_t first, size_t count) {
    for (size_t row = first; row < first + count; ++row) {
      float* to = content.view().row(row);
      for (size_t i = 0; i < settings_.width; ++i) to[i] = static_cast<float>(prefixes.mean(spans[row], i));
      if (!settings_.has_maximum) continue;
      for (size_t i = 0; i < settings_.width; ++i) {
        to[settings_.width + i] = static_cast<float>(prefixes.maximum(spans[row], i));
      }
    }
  });
  const MatrixView rows = content.view();
  norm_.rows(rows, rows, products.kernels());
  return content;
}

}  // namespace bert
