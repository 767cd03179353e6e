#include "tasks/labels/gliner/span_scorer.h"

#include <algorithm>

#include "bert/error.h"

namespace bert {
namespace {

constexpr size_t kRowsAtOnce = 256;  // spans in one product

MatrixView first_rows(Matrix& matrix, size_t rows) { return matrix.view().row_range(0, rows); }

void relu(const KernelTable& kernels, MatrixView x) {
  for (size_t row = 0; row < x.rows; ++row) kernels.activate(x.row(row), x.cols, Activation::kRelu);
}

}  // namespace

SpanScorer::SpanScorer(WeightReader& weights, const std::string& prefix, bool has_inner, size_t width, size_t max_width)
    : width_(width), max_width_(max_width) {
  const size_t inner = (has_inner ? 4 : 2) * width;  // widths of the words' layers and of the span's layer
  widest_input_ = inner;
  // Dropout has no weights, but counts as a layer in the names.
  const auto two_layers = [&](const std::string& name) -> TwoLayers {
    return {read_dense(weights, name + ".0", inner, width), read_dense(weights, name + ".3", width, inner)};
  };
  start_ = two_layers(prefix + "project_start");
  end_ = two_layers(prefix + "project_end");
  if (has_inner) {
    const std::string name = prefix + "out_project.0";
    const std::span<const float> matrix = weights.floats(name + ".weight", inner, 2 * width, WeightRole::kHead);
    const float* bias = weights.vector(name + ".bias", inner, WeightRole::kHead).data();
    inner_start_ = columns_of(matrix, 2 * width, 0, width, bias, weights);
    inner_end_ = columns_of(matrix, 2 * width, width, width, nullptr, weights);
  }
  const std::string output = prefix + (has_inner ? "out_project.3" : "out_project");
  const std::span<const float> rows = weights.floats(output + ".weight", width, inner, WeightRole::kHead);
  const std::span<const float> bias = weights.vector(output + ".bias", width, WeightRole::kHead);
  std::vector<float> transposed;
  transposed.reserve((inner + 1) * width);
  for (size_t column = 0; column < inner; ++column) {
    for (size_t row = 0; row < width; ++row) transposed.push_back(rows[row * inner + column]);
  }
  transposed.insert(transposed.end(), bias.begin(), bias.end());
  output_ = {{.data = weights.keep(transposed).data(), .rows = inner + 1, .cols = width}, nullptr};
}

std::vector<ScoredSpan> SpanScorer::spans(ConstMatrixView words, ConstMatrixView labels, double threshold,
                                          const ProductRunner& products) const {
  // Returns what each word adds to the inner layer of a span that begins or ends with it.
  const auto inner_of = [&](const TwoLayers& layers, const std::optional<LinearPart>& half) {
    Matrix marks = layers.forward(words, products);
    relu(products.kernels(), marks.view());
    if (!half) return marks;
    return apply(*half, marks.view(), products);
  };
  const Matrix begins = inner_of(start_, inner_start_), ends = inner_of(end_, inner_end_);

  // Applies the output layer to the labels.
  const size_t inner = output_.weight.rows - 1;
  Matrix outputs(labels.rows, inner + 1), of_labels(labels.rows, inner);
  products.multiply({.x = labels, .parts = {&output_, 1}, .y = outputs.view()});
  std::vector<float> bias;
  for (size_t label = 0; label < labels.rows; ++label) {
    std::copy_n(outputs.view().row(label), inner, of_labels.view().row(label));
    bias.push_back(outputs.view().row(label)[inner]);
  }
  const LinearPart score{{.data = of_labels.view().data, .rows = labels.rows, .cols = inner}, bias.data()};

  std::vector<ScoredSpan> places, found;
  for (size_t first = 0; first < words.rows; ++first) {
    const size_t end = std::min(words.rows, first + max_width_);
    for (size_t last = first; last < end; ++last) places.push_back({.first = first, .last = last});
  }
  Matrix rows(std::min(kRowsAtOnce, places.size()), inner), scores(rows.rows(), labels.rows);
  const auto least = static_cast<float>(threshold);
  for (size_t begin = 0; begin < places.size(); begin += kRowsAtOnce) {
    const size_t count = std::min(kRowsAtOnce, places.size() - begin);
    products.pool().run_rows(count, [&](size_t row, size_t group) {
      for (const size_t end = row + group; row < end; ++row) {
        const ScoredSpan& place = places[begin + row];
        float* to = rows.view().row(row);
        const float* first = begins.view().row(place.first);
        const float* last = ends.view().row(place.last);
        if (inner_start_) {
          for (size_t i = 0; i < inner; ++i) to[i] = std::max(first[i] + last[i], 0.0f);
        } else {
          std::copy_n(last, width_, std::copy_n(first, width_, to));
        }
      }
    });
    products.multiply({.x = first_rows(rows, count),
                       .parts = {&score, 1},
                       .activation = Activation::kSigmoid,
                       .y = first_rows(scores, count)});
    for (size_t row = 0; row < count; ++row) {
      for (size_t label = 0; label < labels.rows; ++label) {
        const float value = scores.view().row(row)[label];
        if (!(value > least)) continue;
        const ScoredSpan& place = places[begin + row];
        add_span(found, {place.first, place.last, label, static_cast<double>(value)});
      }
    }
  }
  return found;
}

void add_span(std::vector<ScoredSpan>& spans, const ScoredSpan& span) {
  if (spans.size() == SpanScorer::kMaxSpans) {
    throw Error(ErrorCode::kInvalidArgument, "more than " + std::to_string(SpanScorer::kMaxSpans) +
                                                 " spans have a score above the threshold, expected a higher one");
  }
  spans.push_back(span);
}

}  // namespace bert
