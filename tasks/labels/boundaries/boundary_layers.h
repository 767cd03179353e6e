// The layers beside the encoder of a GLiNER2 model that finds entities by their boundaries. Source: gliner2 2.1.0,
// BoundaryHead. Immutable.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "tasks/labels/boundaries/boundary_pool.h"
#include "tasks/labels/boundaries/boundary_states.h"
#include "tasks/labels/entity_choice.h"

namespace bert {

class BoundaryLayers {
 public:
  // Reads the tensors of boundary_head. width: of the encoder's vectors.
  BoundaryLayers(WeightReader& weights, const BoundarySettings& settings, size_t width);

  size_t widest_input() const { return widest_input_; }  // for ProductRunner

  // Returns the spans whose score is above the threshold, label by label. words: of one text, [words, width], at least
  // one; labels: [labels, width].
  std::vector<ScoredSpan> spans(ConstMatrixView words, ConstMatrixView labels, double threshold,
                                const ProductRunner& products) const;

 private:
  // Returns how many of a label's candidates are spans whatever their scores. logarithm: of the predicted number of
  // spans.
  size_t expected_spans(float logarithm, size_t candidates) const;

  BoundarySettings settings_;
  size_t widest_input_;
  BoundaryStates states_;
  BoundaryScorer scorer_;
  std::variant<BoundaryPairScorer, BoundaryPool> pairs_;
  std::optional<LinearPart> absence_;  // scores that the text has no span with the label
  std::optional<LinearPart> count_;    // predicts the logarithm of the number of spans
};

}  // namespace bert
