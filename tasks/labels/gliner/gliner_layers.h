// The layers that GLiNER adds to an encoder: a projection to its own width, a recurrent layer over the words, and the
// scores of labels. In a pass, the words' vectors are computed first; then each text is scored with its labels'
// vectors. Source: Zaratiana et al. 2023, "GLiNER: Generalist Model for Named Entity Recognition using Bidirectional
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
  // Reads the tensors beside those of the text's encoder, whose outputs have encoder_width. label_width: the width of
  // the labels' encoder; 0: there is none.
  GlinerLayers(const GlinerSettings& settings, size_t encoder_width, size_t label_width, WeightReader& weights);

  size_t width() const { return width_; }
  size_t widest_input() const { return widest_input_; }  // for ProductRunner

  // Projects x, [rows, encoder's width], to [rows, width()]. Without a projection returns x, and `memory` stays empty.
  ConstMatrixView project(ConstMatrixView x, Matrix& memory, const ProductRunner& products) const;
  // Projects the vectors of labels from their own encoder, like project().
  ConstMatrixView project_labels(ConstMatrixView x, Matrix& memory, const ProductRunner& products) const;
  // Applies the recurrent layer to words, [rows, width()], in place.   row_starts: [texts + 1], the first row of each
  // text
  void recur(MatrixView words, std::span<const size_t> row_starts, const ProductRunner& products) const;

  // Returns the spans whose score is above the threshold, in the reference's order. words: of one text, [words,
  // width()]; labels: [labels, width()]. Throws Error(kInvalidArgument) for more than SpanScorer::kMaxSpans spans.
  std::vector<ScoredSpan> spans(ConstMatrixView words, ConstMatrixView labels, double threshold,
                                const ProductRunner& products) const;

 private:
  ConstMatrixView project(const std::optional<LinearPart>& projection, ConstMatrixView x, Matrix& memory,
                          const ProductRunner& products) const;

  size_t width_;
  size_t widest_input_ = 0;
  std::optional<LinearPart> projection_, label_projection_;
  BidirectionalLstm lstm_;

  // The scorer of spans, by their first and last words, or of words, as start, end and inside of an entity.
  std::optional<SpanScorer> marks_;
  TwoLayers label_{};
  std::optional<PairScorer> pairs_;
};

}  // namespace bert
