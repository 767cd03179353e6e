#include "tasks/labels/gliner/gliner_layers.h"

#include <algorithm>
#include <utility>

namespace bert {
namespace {

// Converts scores of words as beginnings, ends and insides of entities, [words * labels, 3], to spans. A span's score
// is the minimum of its first word's score as a beginning, its last word's as an end, and all words' as insides.
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
        if (end > least) add_span(spans, {first, last, label, static_cast<double>(std::min({inside, start, end}))});
      }
    }
  }
  return spans;
}

}  // namespace

GlinerLayers::GlinerLayers(const GlinerSettings& settings, size_t encoder_width, size_t label_width,
                           WeightReader& weights)
    : width_(settings.hidden_size) {
  widest_input_ = std::max(encoder_width, label_width);
  if (encoder_width != width_) {
    projection_ = read_dense(weights, "token_rep_layer.projection", width_, encoder_width);
  }
  if (label_width != 0 && label_width != width_) {
    label_projection_ = read_dense(weights, "token_rep_layer.labels_projection", width_, label_width);
  }
  // gliner's bi-encoder has a recurrent layer in its file but does not use it.
  if (label_width == 0) lstm_ = read_lstm(weights, "rnn.lstm.", width_, settings.lstm_layers);
  widest_input_ = std::max({widest_input_, width_, lstm_.widest_input()});
  if (settings.form == EntityForm::kWords) {
    pairs_.emplace(weights, "scorer.", "proj_token", width_, 3);
    widest_input_ = std::max(widest_input_, pairs_->widest_input());
  } else {
    // Dropout has no weights, but counts as a layer in the names.
    label_ = {read_dense(weights, "prompt_rep_layer.0", 4 * width_, width_),
              read_dense(weights, "prompt_rep_layer.3", width_, 4 * width_)};
    marks_.emplace(weights, "span_rep_layer.span_rep_layer.", settings.form == EntityForm::kMarkerV0, width_,
                   settings.max_width);
    widest_input_ = std::max({widest_input_, label_.widest_input(), marks_->widest_input()});
  }
}

ConstMatrixView GlinerLayers::project(const std::optional<LinearPart>& projection, ConstMatrixView x, Matrix& memory,
                                      const ProductRunner& products) const {
  if (!projection) return x;
  memory = apply(*projection, x, products);
  return std::as_const(memory).view();
}

ConstMatrixView GlinerLayers::project(ConstMatrixView x, Matrix& memory, const ProductRunner& products) const {
  return project(projection_, x, memory, products);
}

ConstMatrixView GlinerLayers::project_labels(ConstMatrixView x, Matrix& memory, const ProductRunner& products) const {
  return project(label_projection_, x, memory, products);
}

void GlinerLayers::recur(MatrixView words, std::span<const size_t> row_starts, const ProductRunner& products) const {
  if (lstm_.layers.empty()) return;
  Matrix outputs(words.rows, words.cols);
  lstm_.forward(words, row_starts, outputs.view(), products);
  for (size_t row = 0; row < words.rows; ++row) std::copy_n(outputs.view().row(row), words.cols, words.row(row));
}

std::vector<ScoredSpan> GlinerLayers::spans(ConstMatrixView words, ConstMatrixView labels, double threshold,
                                            const ProductRunner& products) const {
  if (marks_) return marks_->spans(words, label_.forward(labels, products).view(), threshold, products);
  Matrix scores = pairs_->logits(words, labels, products);
  const MatrixView rows = scores.view();
  products.kernels().activate(rows.data, rows.rows * rows.cols, Activation::kSigmoid);
  return spans_of(rows, words.rows, labels.rows, threshold);
}

}  // namespace bert
