// Convolutions beside attention's heads, one for each head. The weights of a token's neighbours depend on the token and
// on the neighbours. Neighbours that are masked or outside of the text count as zeros.
//   weights = softmax(kernel · (query * pointwise(depthwise(x))));   y = Σ weight · values(x of the neighbour)
// Source: Jiang et al. 2020, section 3.2.
#pragma once

#include <cstddef>

#include "engine/layers/linear.h"
#include "engine/tensor/ragged_batch.h"

namespace bert {

struct SpanConvolution {
  size_t width = 1;  // tokens that an output reads, with its own in the middle; odd
  size_t heads = 1;
  size_t head_dim = 0;
  const float* depthwise = nullptr;  // [width, hidden]
  Linear pointwise = {};             // hidden to outputs()
  Linear kernel = {};                // outputs() to heads * width
  Linear values = {};                // hidden to outputs()

  size_t outputs() const { return heads * head_dim; }
  // Returns the columns of the workspace's `beside` matrix that forward() needs.
  size_t columns(size_t hidden) const { return hidden + 2 * outputs() + heads * width; }

  // x: [tokens, hidden], the attention's input; queries, y: [tokens, outputs()]. Overwrites the workspace's `beside`
  // matrix.
  void forward(const RaggedBatch& batch, ConstMatrixView x, ConstMatrixView queries, MatrixView y,
               ExecutionContext& context) const;
};

}  // namespace bert
