// LayerNorm: each row minus its mean, divided by its deviation, times weight plus bias.
// Source: Ba, Kiros, Hinton 2016; the variance is the biased one and eps is inside the square root, as in BERT.
#pragma once

#include "engine/layers/execution_context.h"

namespace bert {

struct Norm {
  const float* weight = nullptr;  // [hidden]; views, the checkpoint keeps them alive
  const float* bias = nullptr;    // [hidden]
  double eps = 0;

  // x: [rows, hidden], in place.
  void forward(MatrixView x, ExecutionContext& context) const;
};

}  // namespace bert
