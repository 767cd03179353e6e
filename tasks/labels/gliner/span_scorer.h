// Scores spans of words with labels, by the vectors of a span's first and last word (marker, markerV0). Source:
// Zaratiana et al. 2023, "GLiNER: Generalist Model for Named Entity Recognition using Bidirectional Transformer",
// section 2; the layers' sizes and names are those of gliner 0.2.29 and gliner2 2.1.0. Immutable.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tasks/labels/entity_choice.h"
#include "tasks/labels/label_layers.h"

namespace bert {

class SpanScorer {
 public:
  // prefix: of the names of project_start, project_end and out_project; has_inner: true for markerV0, false for marker.
  // width: of the vectors; max_width: limit of the words of a span.
  SpanScorer(WeightReader& weights, const std::string& prefix, bool has_inner, size_t width, size_t max_width);

  size_t widest_input() const { return widest_input_; }  // for ProductRunner

  // Returns the spans whose score is above the threshold, sorted by first word, last word, label. words: of one text,
  // [words, width]; labels: [labels, width]. Throws Error(kInvalidArgument) for more than kMaxSpans spans.
  std::vector<ScoredSpan> spans(ConstMatrixView words, ConstMatrixView labels, double threshold,
                                const ProductRunner& products) const;
  static constexpr size_t kMaxSpans = 1 << 20;

 private:
  size_t width_;
  size_t max_width_;
  size_t widest_input_;
  // A span's vector is output(inner), and its score is the product with the label's vector. So the output layer is
  // applied to the label instead, once for all spans. inner is relu of the two words' vectors (marker), or of a layer
  // over them, computed as the sum of two halves (markerV0).
  TwoLayers start_, end_;
  std::optional<LinearPart> inner_start_, inner_end_;  // [inner, width]
  LinearPart output_;  // the transposed output layer, with its bias as the last row: [inner + 1, width]
};

// Appends a span; throws Error(kInvalidArgument) for more than kMaxSpans.
void add_span(std::vector<ScoredSpan>& spans, const ScoredSpan& span);

}  // namespace bert
