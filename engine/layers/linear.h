// A dense layer y = act(x · weightᵀ + bias) + residual, or several layers with one input and concatenated outputs.
#pragma once

#include <vector>

#include "engine/layers/execution_context.h"

namespace bert {

// Views: the checkpoint keeps weights and biases alive. All parts have the same number of inputs.
struct Linear {
  std::vector<LinearPart> parts;
  Activation activation = Activation::kIdentity;

  size_t outs() const;  // total of all parts

  // x: [rows, in], y and residual: [rows, outs()]; residual {}: none. y must not overlap x or residual.
  void forward(ConstMatrixView x, MatrixView y, ExecutionContext& context, ConstMatrixView residual = {}) const;
};

}  // namespace bert
