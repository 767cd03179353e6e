// A head on top of the encoder: an optional dense layer with its activation, an optional norm, then the output layer.
// Source: Devlin et al. 2019, section 3.1 (masked tokens), 4 (the others).
#pragma once

#include <optional>

#include "engine/layers/linear.h"
#include "engine/layers/norm.h"

namespace bert {

struct PredictionHead {
  std::vector<Linear> dense;  // at most two, one after the other
  std::optional<Norm> norm;   // after them
  Linear output;

  // Everything before the output layer; without dense layers x itself. The result is in the workspace's wide matrix
  // after one dense layer, in its attended matrix after two.   x: as for forward.
  ConstMatrixView transform(ConstMatrixView x, ExecutionContext& context) const;

  // x: [rows, hidden], not in the workspace's wide and attended matrices, which are overwritten;
  // y: [rows, output.outs()].
  void forward(ConstMatrixView x, MatrixView y, ExecutionContext& context) const;
};

}  // namespace bert
