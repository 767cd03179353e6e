// Candidates that all labels of a text share, and their scores. Candidates attend to each other, depending on how they
// overlap; labels attend to the candidates that fit them. Source: gliner2 2.1.0, DocumentCandidatePool and
// SharedPoolScorer. Immutable.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/layers/norm.h"
#include "engine/layers/row_attention.h"
#include "tasks/labels/boundaries/boundary_pairs.h"
#include "tasks/labels/boundaries/boundary_settings.h"
#include "tasks/labels/label_layers.h"

namespace bert {

// Returns pairs of the best beginnings and ends of any label: first the best pairs of each label, then the best of all.
// fit: how well the two ends of a pair fit each other.
std::vector<BoundaryPair> pooled_pairs(const BoundarySettings& settings, const BoundaryScores& scores,
                                       const std::function<double(const BoundaryPair&)>& fit);

// How `pair` lies relative to `other`. The values are indices of the checkpoint's biases.
enum class PairRelation : size_t { kEqual, kInside, kAround, kCrossing, kSameStart, kSameEnd, kBefore, kAfter };
PairRelation relation(const BoundaryPair& pair, const BoundaryPair& other);

class BoundaryPool {
 public:
  BoundaryPool(WeightReader& weights, const BoundarySettings& settings, size_t width);

  size_t widest_input() const { return widest_input_; }  // for ProductRunner

  // As BoundaryPairScorer::forward.
  std::vector<ScoredPairs> forward(ConstMatrixView states, ConstMatrixView words, ConstMatrixView labels,
                                   const BoundaryScores& scores, const ProductRunner& products) const;

 private:
  static constexpr size_t kOverlapKinds = 8;

  // A layer of attention and a feed-forward network, with a norm before each.
  struct Block {
    Norm norm_before_attention, norm_before_feed_forward;
    RowAttention attention;
    TwoLayers feed_forward;
  };
  struct PairLayer {
    Block block;
    std::span<const float> biases;  // [kOverlapKinds, heads]
  };
  struct LabelLayer {
    LinearPart label, evidence;
    Block block;
  };

  Block read_block(WeightReader& weights, const std::string& name, const std::string& attention, const char* output,
                   LinearPart qkv) const;
  // fits: of the pairs' ends.
  Matrix vectors(std::span<const BoundaryPair> pairs, std::span<const double> fits, ConstMatrixView states,
                 ConstMatrixView words, const ProductRunner& products) const;
  Matrix label_vectors(ConstMatrixView labels, ConstMatrixView vectors, const ProductRunner& products) const;
  static void apply_block(const Block& block, MatrixView x, const RowAttentionBias& bias,
                          const ProductRunner& products);

  BoundarySettings settings_;
  size_t widest_input_;
  LinearPart pool_start_, pool_end_;             // project boundaries, for the fit of two boundaries
  LinearPart start_, end_;                       // project boundaries, for a pair's vector
  std::span<const float> length_, length_bias_;  // [pair_width, 3]
  std::span<const float> fit_, fit_bias_;        // [pair_width, 1]
  std::optional<SpanContent> content_;
  LinearPart of_content_{};
  Norm norm_;
  std::vector<PairLayer> pair_layers_;
  LinearPart label_;
  std::vector<LabelLayer> label_layers_;
  LinearPart modulation_;  // [2 * pair_width, pair_width]: a label's factors and summands for pairs' vectors
  TwoLayers modulated_;
};

}  // namespace bert
