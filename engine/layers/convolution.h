// Convolutions over the tokens of each text. Tokens that are masked or outside of the text count as zeros.
#pragma once

#include <cstddef>
#include <span>

#include "engine/layers/execution_context.h"
#include "engine/layers/linear.h"
#include "engine/layers/norm.h"
#include "engine/tensor/ragged_batch.h"

namespace bert {

inline constexpr size_t kNoRow = static_cast<size_t>(-1);

// Sets the rows of consecutive places, the first of them `before` places before the token's; kNoRow where the text has
// no token or a masked one.
void find_neighbours(const RaggedBatch& batch, size_t token, size_t before, std::span<size_t> rows);

// A convolution parallel to the first encoder layer:
//   y = norm(y + act(bias + W · (x of the token and of its neighbours))).
struct Convolution {
  size_t width = 1;  // tokens that an output reads, with its own in the middle; odd
  Linear dense =
      {};  // width * hidden to hidden, with the activation; the first token's components are the first inputs
  Norm norm = {};

  // x: the first layer's input, y: its output; both [tokens, hidden]. Overwrites the workspace's wide and attended
  // matrices.
  void forward(const RaggedBatch& batch, ConstMatrixView x, MatrixView y, ExecutionContext& context) const;
};

// A gated convolution over each text, instead of a layer's attention. For the thirds b, c and x of a row,
//   y = c * (w_0 · (b * x of the token `width` - 1 places before) + … + w_last · (b * x of the token)),
// for each channel separately. Source: Liquid AI's LFM2, 2025, as in transformers 5.24.
struct ShortConvolution {
  size_t channels = 0;
  size_t width = 0;
  const float* weights = nullptr;  // [channels, width]

  // thirds: [tokens, 3 * channels], y: [tokens, channels], different memory.
  void forward(const RaggedBatch& batch, ConstMatrixView thirds, MatrixView y, ExecutionContext& context) const;
};

// Convolutions beside attention's heads, one for each head. The weights of a token's neighbours depend on the token and
// on the neighbours.
//   weights = softmax(kernel · (query * pointwise(depthwise(x))));   y = Σ weight · values(x of the neighbour)
// Source: Jiang et al. 2020, section 3.2.
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
