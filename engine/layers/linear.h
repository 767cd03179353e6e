// y = act(x · weightᵀ + bias) + residual: a dense layer, or several of the same input side by side.
#pragma once

#include <vector>

#include "engine/layers/execution.h"

namespace bert {

class Linear {
 public:
  // Views: the checkpoint keeps weights and biases alive. All parts have the same number of inputs.
  explicit Linear(std::vector<LinearPart> parts, Activation activation = Activation::kIdentity);

  // x: [rows, in], y and residual: [rows, out] (of all parts together). y is none of the others.
  void forward(ConstMatrixView x, MatrixView y, Execution& execution, ConstMatrixView residual = {}) const;

  size_t out() const;

 private:
  std::vector<LinearPart> parts_;
  Activation activation_;
};

}  // namespace bert
