// A bidirectional LSTM over the rows of each sequence, with forget gates and without peepholes.
// Source: Hochreiter and Schmidhuber 1997; Gers, Schmidhuber and Cummins 2000. The order of the gates (input, forget,
// cell, output) and the two biases are those of PyTorch's files.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/layers/own_products.h"

namespace bert {

// Views: the checkpoint keeps weights and biases alive.
struct LstmDirection {
  LinearPart input;      // [4 * size, in]
  LinearPart recurrent;  // [4 * size, size]

  size_t size() const { return recurrent.weight.cols; }
};

struct LstmLayer {
  LstmDirection forward;
  LstmDirection backward;
};

struct BidirectionalLstm {
  std::vector<LstmLayer> layers;  // each layer reads the outputs of the previous one

  // Returns the most inputs of a product, for OwnProducts.
  size_t widest_input() const;

  // x: [rows, in];  row_starts: [sequences + 1], sequence i is rows row_starts[i] to row_starts[i + 1]; y: [rows, 2 *
  // size], the forward direction's outputs first. y must not overlap x.
  void forward(ConstMatrixView x, std::span<const size_t> row_starts, MatrixView y, const OwnProducts& products) const;
};

}  // namespace bert
