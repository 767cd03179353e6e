// Finds candidates for each label separately, and scores them: by the boundaries' own scores, by how well the two ends
// fit each other and the label, and by the words between them. Source: gliner2 2.1.0, SparseBoundaryProposer and
// SparseBoundaryPairScorer. Immutable.
#pragma once

#include <optional>
#include <vector>

#include "tasks/labels/boundaries/boundary_candidates.h"
#include "tasks/labels/boundaries/boundary_scores.h"

namespace bert {

struct ScoredPairs {
  std::vector<BoundaryPair> pairs;
  std::vector<double> logits;
};

class BoundaryPairScorer {
 public:
  BoundaryPairScorer(WeightReader& weights, const BoundarySettings& settings, size_t width);

  size_t widest_input() const { return widest_input_; }  // for ProductRunner

  // Returns the candidates of each label. states: [words + 1, settings.width]; words: [words, width]; labels: [labels,
  // width].
  std::vector<ScoredPairs> forward(ConstMatrixView states, ConstMatrixView words, ConstMatrixView labels,
                                   const BoundaryScores& scores, const ProductRunner& products) const;

 private:
  // Projections of boundaries as beginnings and as ends, and the factors by which a label weights their components.
  struct Ends {
    LinearPart start, end;
    LinearPart gate;
  };
  struct ProjectedEnds {
    Matrix starts, ends;  // [boundaries, width]
    Matrix gates;         // [labels, width]
  };

  ProjectedEnds project(const Ends& ends, ConstMatrixView states, ConstMatrixView labels,
                        const ProductRunner& products) const;
  std::vector<std::vector<BoundaryPair>> candidates(const ProjectedEnds& ends, const BoundaryScores& scores,
                                                    const ProductRunner& products) const;
  // Adds the best partners of the best boundaries: ends for starts, or starts for ends.
  void add_partners(const ProjectedEnds& ends, const BoundaryScores& scores, bool of_starts,
                    std::vector<std::vector<ScoredPair>>& pairs, const ProductRunner& products) const;

  BoundarySettings settings_;
  size_t widest_input_;
  Ends proposed_;                    // for finding candidates
  Ends scored_;                      // for scoring them
  std::vector<float> head_weights_;  // for the parts of a product of two ends
  float head_bias_ = 0;
  LinearPart length_;                  // [3, width]
  std::span<const float> difference_;  // [2 * pair_width]; empty: not used
  float difference_bias_ = 0;
  std::optional<LinearPart> inside_of_label_;  // [1, width]
  float inside_weight_ = 1;
  std::optional<SpanContent> content_;
  LinearPart content_of_label_{}, content_bias_{};
};

}  // namespace bert
