// A gated recurrent unit, step by step.
// Source: Cho et al. 2014; the order of the gates (reset, update, new), the two biases, and the place of the reset gate
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
  // Returns the most inputs of a product, for OwnProducts.
  size_t widest_input() const;

  // Returns the next hidden states, [rows, size], of `rows` sequences.   x: [rows, in], or one row for all sequences;
  // hidden: [rows, size]
  Matrix step(ConstMatrixView x, ConstMatrixView hidden, const OwnProducts& products) const;
};

}  // namespace bert
