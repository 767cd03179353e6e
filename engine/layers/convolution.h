// A convolution over the tokens of each text, parallel to the first encoder layer:
//   y = norm(y + act(bias + W · (x of the token and of its neighbours))).
// Neighbours that are masked or outside of the text count as zeros.
#pragma once

#include <cstddef>

#include "engine/layers/linear.h"
#include "engine/layers/norm.h"
#include "engine/tensor/ragged_batch.h"

namespace bert {

struct Convolution {
  size_t width = 1;  // tokens that an output reads, with its own in the middle; odd
  Linear dense =
      {};  // width * hidden to hidden, with the activation; the first token's components are the first inputs
  Norm norm = {};

  // x: the first layer's input, y: its output; both [tokens, hidden]. Overwrites the workspace's wide and attended
  // matrices.
  void forward(const RaggedBatch& batch, ConstMatrixView x, MatrixView y, ExecutionContext& context) const;
};

}  // namespace bert
