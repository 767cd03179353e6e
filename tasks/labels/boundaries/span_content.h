// Computes vectors of spans from the vectors of all words in them: the mean, and a smooth maximum. Source: gliner2
// 2.1.0, SpanContentPooler. Immutable.
#pragma once

#include <span>
#include <string>

#include "engine/layers/norm.h"
#include "tasks/labels/boundaries/boundary_settings.h"
#include "tasks/labels/label_layers.h"

namespace bert {

// A span from one boundary to another: the words [start, end).
struct BoundaryPair {
  size_t start = 0;
  size_t end = 0;
  size_t words() const { return end - start; }
  bool operator==(const BoundaryPair&) const = default;
};

class SpanContent {
 public:
  // prefix: of the names of value_projection and layer_norm; width: of the words' vectors.
  SpanContent(WeightReader& weights, const std::string& prefix, const SpanContentSettings& settings, size_t width);

  // words: of one text, [words, width]; returns [spans, settings.outputs()].
  Matrix forward(ConstMatrixView words, std::span<const BoundaryPair> spans, const ProductRunner& products) const;

 private:
  SpanContentSettings settings_;
  LinearPart values_;
  Norm norm_;
};

}  // namespace bert
