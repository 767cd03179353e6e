// Recurrent layers. The order of their gates and their two biases are those of PyTorch's files. Views: the checkpoint
// keeps weights and biases alive.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/layers/product_runner.h"

namespace bert {

struct LstmDirection {
  LinearPart input;      // [4 * size, in]
  LinearPart recurrent;  // [4 * size, size]

  size_t size() const { return recurrent.weight.cols; }
};

struct LstmLayer {
  LstmDirection forward;
  LstmDirection backward;
};

// A bidirectional LSTM over the rows of each sequence, with forget gates and without peepholes; its gates are input,
// forget, cell, output. Source: Hochreiter and Schmidhuber 1997; Gers, Schmidhuber and Cummins 2000.
struct BidirectionalLstm {
  std::vector<LstmLayer> layers;  // each layer reads the outputs of the previous one

  // Returns the most inputs of a product, for ProductRunner.
  size_t widest_input() const;

  // x: [rows, in];  row_starts: [sequences + 1], sequence i is rows row_starts[i] to row_starts[i + 1]; y: [rows, 2 *
  // size], the forward direction's outputs first. y must not overlap x.
  void forward(ConstMatrixView x, std::span<const size_t> row_starts, MatrixView y,
               const ProductRunner& products) const;
};

// A gated recurrent unit, step by step; its gates are reset, update, new. Source: Cho et al. 2014, with the place of
// the reset gate as in PyTorch.
struct Gru {
  LinearPart input;      // [3 * size, in]
  LinearPart recurrent;  // [3 * size, size]

  size_t size() const { return recurrent.weight.cols; }
  // Returns the most inputs of a product, for ProductRunner.
  size_t widest_input() const;

  // Returns the next hidden states, [rows, size], of `rows` sequences.   x: [rows, in], or one row for all sequences;
  // hidden: [rows, size]
  Matrix step(ConstMatrixView x, ConstMatrixView hidden, const ProductRunner& products) const;
};

}  // namespace bert
