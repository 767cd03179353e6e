// What GLiNER adds to an encoder: a projection to its own width, a recurrent layer over the words, and the scores of
// labels. Of a pass, the words' vectors come first; then each text has scores with its labels' vectors.
// Source: Zaratiana et al. 2023, "GLiNER: Generalist Model for Named Entity Recognition using Bidirectional
// Transformer", section 2; the layers' sizes and names are those of gliner 0.2.29. Immutable.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engine/checkpoint/weight_reader.h"
#include "engine/layers/lstm.h"
#include "models/labels/gliner_settings.h"

namespace bert {

// y = second(relu(first(x))).
struct TwoLayers {
  LinearPart first;   // [inner, in]
  LinearPart second;  // [out, inner]
};

// A span of words and a label, with a score from 0 to 1.
struct ScoredSpan {
  size_t first = 0;  // words
  size_t last = 0;
  size_t label = 0;
  double score = 0;
};

class GlinerLayers {
 public:
  // Reads the tensors beside those of the text's encoder, whose outputs have this width. label_width: the width of the
  // labels' encoder; 0: there is none.
  GlinerLayers(const GlinerSettings& settings, size_t encoder_width, size_t label_width, WeightReader& weights);

  size_t width() const { return width_; }
  size_t widest_input() const { return widest_input_; }  // for OwnProducts

  // x: [rows, encoder's width] to [rows, width()]; without a projection x itself, and `memory` stays empty.
  ConstMatrixView project(ConstMatrixView x, Matrix& memory, const OwnProducts& products) const;
  // The vectors of labels from their own encoder, the same way.
  ConstMatrixView project_labels(ConstMatrixView x, Matrix& memory, const OwnProducts& products) const;
  // words: [rows, width()], in place;  row_starts: of each text, [texts + 1].
  void recur(MatrixView words, std::span<const size_t> row_starts, const OwnProducts& products) const;

  // The spans whose score is above the threshold, in the reference's order. words: of one text, [words, width()];
  // labels: [labels, width()]. Throws Error(kInvalidArgument) for more than kMaxSpans.
  std::vector<ScoredSpan> spans(ConstMatrixView words, ConstMatrixView labels, double threshold,
                                const OwnProducts& products) const;
  static constexpr size_t kMaxSpans = 1 << 20;

 private:
  LinearPart dense(const std::string& name, size_t out, size_t in, WeightReader& weights);
  TwoLayers two_layers(const std::string& name, size_t in, size_t inner, size_t out, WeightReader& weights);
  void read_lstm(size_t layers, WeightReader& weights);
  void read_span_scorer(WeightReader& weights);
  void read_word_scorer(WeightReader& weights);
  ConstMatrixView project(const std::optional<LinearPart>& projection, ConstMatrixView x, Matrix& memory,
                          const OwnProducts& products) const;
  std::vector<ScoredSpan> marked_spans(ConstMatrixView words, ConstMatrixView labels, double threshold,
                                       const OwnProducts& products) const;
  Matrix word_scores(ConstMatrixView words, ConstMatrixView labels, const OwnProducts& products) const;

  EntityForm form_;
  size_t width_;
  size_t max_width_;
  size_t widest_input_ = 0;
  std::optional<LinearPart> projection_, label_projection_;
  BidirectionalLstm lstm_;

  // Of spans. A span's vector is output(inner), and its score the product with the label's vector: the output layer is
  // applied to the label instead, once for all spans. inner is relu of the two words' vectors (marker), or of a layer
  // over these, as the sum of its halves (markerV0).
  TwoLayers start_{}, end_{}, label_{};
  std::optional<LinearPart> inner_start_, inner_end_;  // [inner, width]
  LinearPart output_{};  // the output layer transposed, and its bias as the last row: [inner + 1, width]

  // Of words. The inner layer is the sum of its parts for the word, the label, and their product.
  LinearPart of_word_{}, of_label_{};                          // [2 * width, width]
  LinearPart inner_word_{}, inner_label_{}, inner_product_{};  // [4 * width, width]
  LinearPart three_scores_{};                                  // [3, 4 * width]: start, end, inside
};

}  // namespace bert
