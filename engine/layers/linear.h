// y = act(x · weightᵀ + bias) + residual: a dense layer, or several with one input, outputs concatenated.
#pragma once

#include <vector>

#include "engine/layers/execution_context.h"

namespace bert {

// Views: the checkpoint keeps weights and biases alive. All parts have the same inputs.
struct Linear {
  std::vector<LinearPart> parts;
  Activation activation = Activation::kIdentity;

  size_t outs() const;  // of all parts

  // x: [rows, in], y and residual: [rows, outs()]; residual {}: none. y overlaps neither x nor residual.
  void forward(ConstMatrixView x, MatrixView y, ExecutionContext& context, ConstMatrixView residual = {}) const;
};

}  // namespace bert
