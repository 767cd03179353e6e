// Computes vectors of the boundaries of a text's words: the places before, between and after the words. Source: gliner2
// 2.1.0, BoundaryEncoder. Immutable.
#pragma once

#include <span>
#include <vector>

#include "engine/layers/row_attention.h"
#include "tasks/labels/boundaries/boundary_settings.h"
#include "tasks/labels/label_layers.h"

namespace bert {

class BoundaryStates {
 public:
  // width: of the words' vectors.
  BoundaryStates(WeightReader& weights, const BoundarySettings& settings, size_t width);

  size_t widest_input() const { return widest_input_; }  // for ProductRunner

  // words: of one text, [words, width]; returns [words + 1, settings.width].
  Matrix forward(ConstMatrixView words, const ProductRunner& products) const;

 private:
  struct AttentionBlock {
    Norm norm;
    RowAttention attention;
  };
  struct Refinement {
    Norm norm;
    LinearPart input;  // values, then their gates
    LinearPart output;
  };

  void refine(const Refinement& block, MatrixView states, const ProductRunner& products) const;

  size_t widest_input_;
  std::span<const float> before_, after_;  // stand for the missing words beyond the first and the last boundary
  LinearPart left_, right_, output_;
  Norm norm_;
  std::vector<AttentionBlock> attention_;
  std::vector<Refinement> refinements_;
};

}  // namespace bert
