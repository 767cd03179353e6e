// A head on top of the encoder: an optional dense layer with its activation, an optional norm, then the output layer.
// Source: Devlin et al. 2019, section 3.1 (masked tokens), 4 (the others).
#pragma once

#include <optional>

#include "engine/layers/linear.h"
#include "engine/layers/norm.h"

namespace bert {

struct PredictionHead {
  std::vector<Linear> dense;  // at most two, in sequence
  std::optional<Norm> norm;   // after the dense layers
  Linear output;

  size_t output_inputs() const { return output.parts.front().weight.cols; }

  // Applies everything before the output layer. Returns a view of the result: in `memory`, or x if there are no dense
  // layers. x: as for forward;  memory: [rows, output_inputs()], not x, and not in the wide matrix if there are two
  // dense layers.
  ConstMatrixView transform(ConstMatrixView x, MatrixView memory, ExecutionContext& context) const;

  // x: [rows, hidden], not in the workspace's wide and attended matrices, which are overwritten; y: [rows,
  // output.outs()].
  void forward(ConstMatrixView x, MatrixView y, ExecutionContext& context) const;
};

}  // namespace bert
