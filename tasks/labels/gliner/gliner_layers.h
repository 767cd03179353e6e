// What GLiNER adds to an encoder: a projection to its own width, a recurrent layer over the words, and the scores of
// labels. Of a pass, the words' vectors come first; then each text has scores with its labels' vectors.
// Source: Zaratiana et al. 2023, "GLiNER: Generalist Model for Named Entity Recognition using Bidirectional
// Transformer", section 2; the layers' sizes and names are those of gliner 0.2.29. Immutable.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tasks/labels/gliner/gliner_settings.h"
#include "tasks/labels/gliner/span_scorer.h"
#include "tasks/labels/pair_scorer.h"

namespace bert {

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
  // labels: [labels, width()]. Throws Error(kInvalidArgument) for more than SpanScorer::kMaxSpans.
  std::vector<ScoredSpan> spans(ConstMatrixView words, ConstMatrixView labels, double threshold,
                                const OwnProducts& products) const;

 private:
  ConstMatrixView project(const std::optional<LinearPart>& projection, ConstMatrixView x, Matrix& memory,
                          const OwnProducts& products) const;

  size_t width_;
  size_t widest_input_ = 0;
  std::optional<LinearPart> projection_, label_projection_;
  BidirectionalLstm lstm_;

  // Scores of spans, by their first and last words, or of words, as the start, the end and the inside of an entity.
  std::optional<SpanScorer> marks_;
  TwoLayers label_{};
  std::optional<PairScorer> pairs_;
};

}  // namespace bert
