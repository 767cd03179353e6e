// A gated recurrent unit, step by step.
// Source: Cho et al. 2014; the order of the gates (reset, update, new), the two biases, and where the reset gate stands
// are those of PyTorch's files.
#pragma once

#include <cstddef>

#include "engine/layers/own_products.h"

namespace bert {

// Views: the checkpoint keeps weights and biases alive.
struct Gru {
  LinearPart input;      // [3 * size, in]
  LinearPart recurrent;  // [3 * size, size]

  size_t size() const { return recurrent.weight.cols; }
  // The most inputs of a product, for OwnProducts.
  size_t widest_input() const;

  // The next hidden states of as many sequences.   x: [rows, in], or one row for all of them;  hidden: [rows, size];
  // the result: [rows, size]
  Matrix step(ConstMatrixView x, ConstMatrixView hidden, const OwnProducts& products) const;
};

}  // namespace bert
