#include "models/labels/gliner_layers.h"

#include <algorithm>
#include <string>
#include <utility>

#include "bert/error.h"

namespace bert {
namespace {

constexpr size_t kRowsAtOnce = 256;  // spans between two products

MatrixView row_range(Matrix& matrix, size_t rows) { return matrix.view().row_range(0, rows); }

void relu(const KernelTable& kernels, MatrixView x) {
  for (size_t row = 0; row < x.rows; ++row) kernels.activate(x.row(row), x.cols, Activation::kRelu);
}

void add(std::vector<ScoredSpan>& spans, const ScoredSpan& span) {
  if (spans.size() == GlinerLayers::kMaxSpans) {
    throw Error(ErrorCode::kInvalidArgument, "more than " + std::to_string(GlinerLayers::kMaxSpans) +
                                                 " spans have a score above the threshold, expected a higher one");
  }
  spans.push_back(span);
}

// Scores of words as beginnings, ends and insides of entities, [words * labels, 3], to spans: the least of the scores
// of the first word as a beginning, of the last as an end, and of all as insides.
std::vector<ScoredSpan> spans_of(ConstMatrixView scores, size_t words, size_t labels, double threshold) {
  const auto least = static_cast<float>(threshold);
  const auto score = [&](size_t word, size_t label, size_t which) { return scores.row(word * labels + label)[which]; };
  std::vector<ScoredSpan> spans;
  for (size_t first = 0; first < words; ++first) {
    for (size_t label = 0; label < labels; ++label) {
      const float start = score(first, label, 0);
      if (!(start > least)) continue;
      float inside = 1;
      for (size_t last = first; last < words; ++last) {
        inside = std::min(inside, score(last, label, 2));
        if (static_cast<double>(inside) < threshold) break;
        const float end = score(last, label, 1);
        if (end > least) add(spans, {first, last, label, static_cast<double>(std::min({inside, start, end}))});
      }
    }
  }
  return spans;
}

}  // namespace

GlinerLayers::GlinerLayers(const GlinerSettings& settings, size_t encoder_width, size_t label_width,
                           WeightReader& weights)
    : form_(settings.form), width_(settings.hidden_size), max_width_(settings.max_width) {
  widest_input_ = std::max(encoder_width, label_width);
  if (encoder_width != width_) {
    projection_ = read_dense(weights, "token_rep_layer.projection", width_, encoder_width);
  }
  if (label_width != 0 && label_width != width_) {
    label_projection_ = read_dense(weights, "token_rep_layer.labels_projection", width_, label_width);
  }
  // gliner's bi-encoder has a recurrent layer in its file and does not use it.
  if (label_width == 0) lstm_ = read_lstm(weights, "rnn.lstm.", width_, settings.lstm_layers);
  widest_input_ = std::max({widest_input_, width_, lstm_.widest_input()});
  if (form_ == EntityForm::kWords) {
    pairs_.emplace(weights, "scorer.", "proj_token", width_, 3);
    widest_input_ = std::max(widest_input_, pairs_->widest_input());
  } else {
    read_span_scorer(weights);
  }
}

void GlinerLayers::read_span_scorer(WeightReader& weights) {
  const std::string layer = "span_rep_layer.span_rep_layer.";
  const bool has_inner = form_ == EntityForm::kMarkerV0;
  const size_t inner = (has_inner ? 4 : 2) * width_;  // of the words' layers, and of the span's
  // Dropout has no weights, and a number among the layers.
  const auto two_layers = [&](const std::string& name, size_t between) -> TwoLayers {
    return {read_dense(weights, name + ".0", between, width_), read_dense(weights, name + ".3", width_, between)};
  };
  start_ = two_layers(layer + "project_start", inner);
  end_ = two_layers(layer + "project_end", inner);
  label_ = two_layers("prompt_rep_layer", 4 * width_);
  if (has_inner) {
    const std::string name = layer + "out_project.0";
    const std::span<const float> matrix = weights.floats(name + ".weight", inner, 2 * width_, WeightRole::kHead);
    const float* bias = weights.vector(name + ".bias", inner, WeightRole::kHead).data();
    inner_start_ = columns_of(matrix, 2 * width_, 0, width_, bias, weights);
    inner_end_ = columns_of(matrix, 2 * width_, width_, width_, nullptr, weights);
  }
  const std::string output = layer + (has_inner ? "out_project.3" : "out_project");
  const std::span<const float> rows = weights.floats(output + ".weight", width_, inner, WeightRole::kHead);
  const std::span<const float> bias = weights.vector(output + ".bias", width_, WeightRole::kHead);
  std::vector<float> transposed;
  transposed.reserve((inner + 1) * width_);
  for (size_t column = 0; column < inner; ++column) {
    for (size_t row = 0; row < width_; ++row) transposed.push_back(rows[row * inner + column]);
  }
  transposed.insert(transposed.end(), bias.begin(), bias.end());
  output_ = {{.data = weights.keep(transposed).data(), .rows = inner + 1, .cols = width_}, nullptr};
  widest_input_ = std::max({widest_input_, inner, 4 * width_});
}

ConstMatrixView GlinerLayers::project(const std::optional<LinearPart>& projection, ConstMatrixView x, Matrix& memory,
                                      const OwnProducts& products) const {
  if (!projection) return x;
  memory = apply(*projection, x, products);
  return std::as_const(memory).view();
}

ConstMatrixView GlinerLayers::project(ConstMatrixView x, Matrix& memory, const OwnProducts& products) const {
  return project(projection_, x, memory, products);
}

ConstMatrixView GlinerLayers::project_labels(ConstMatrixView x, Matrix& memory, const OwnProducts& products) const {
  return project(label_projection_, x, memory, products);
}

void GlinerLayers::recur(MatrixView words, std::span<const size_t> row_starts, const OwnProducts& products) const {
  if (lstm_.layers.empty()) return;
  Matrix outputs(words.rows, words.cols);
  lstm_.forward(words, row_starts, outputs.view(), products);
  for (size_t row = 0; row < words.rows; ++row) std::copy_n(outputs.view().row(row), words.cols, words.row(row));
}

std::vector<ScoredSpan> GlinerLayers::spans(ConstMatrixView words, ConstMatrixView labels, double threshold,
                                            const OwnProducts& products) const {
  if (form_ != EntityForm::kWords) return marked_spans(words, labels, threshold, products);
  Matrix scores = pairs_->logits(words, labels, products);
  const MatrixView rows = scores.view();
  products.kernels().activate(rows.data, rows.rows * rows.cols, Activation::kSigmoid);
  return spans_of(rows, words.rows, labels.rows, threshold);
}

std::vector<ScoredSpan> GlinerLayers::marked_spans(ConstMatrixView words, ConstMatrixView labels, double threshold,
                                                   const OwnProducts& products) const {
  // Of each word, what it adds to the inner layer of a span that it begins, or ends.
  const auto inner_of = [&](const TwoLayers& layers, const std::optional<LinearPart>& half) {
    Matrix marks = layers.forward(words, products);
    relu(products.kernels(), marks.view());
    if (!half) return marks;
    return apply(*half, marks.view(), products);
  };
  const Matrix begins = inner_of(start_, inner_start_), ends = inner_of(end_, inner_end_);

  // The output layer, applied to the labels.
  const size_t inner = output_.weight.rows - 1;
  const Matrix vectors = label_.forward(labels, products);
  Matrix outputs(labels.rows, inner + 1), of_labels(labels.rows, inner);
  products.multiply({.x = vectors.view(), .parts = {&output_, 1}, .y = outputs.view()});
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
    products.multiply({.x = row_range(rows, count),
                       .parts = {&score, 1},
                       .activation = Activation::kSigmoid,
                       .y = row_range(scores, count)});
    for (size_t row = 0; row < count; ++row) {
      for (size_t label = 0; label < labels.rows; ++label) {
        const float value = scores.view().row(row)[label];
        if (!(value > least)) continue;
        const ScoredSpan& place = places[begin + row];
        add(found, {place.first, place.last, label, static_cast<double>(value)});
      }
    }
  }
  return found;
}

}  // namespace bert
