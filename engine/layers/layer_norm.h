// LayerNorm: each row minus its mean, divided by its deviation, times weight plus bias.
// Source: Ba, Kiros, Hinton 2016; the variance is the biased one and eps stands inside the square root, as in BERT.
#pragma once

#include "engine/layers/execution.h"

namespace bert {

class LayerNorm {
 public:
  // weight, bias: [hidden]; views, the checkpoint keeps them alive.
  LayerNorm(const float* weight, const float* bias, double eps) : weight_(weight), bias_(bias), eps_(eps) {}

  // x: [rows, hidden], in place.
  void forward(MatrixView x, Execution& execution) const;

 private:
  const float* weight_;
  const float* bias_;
  double eps_;
};

}  // namespace bert
