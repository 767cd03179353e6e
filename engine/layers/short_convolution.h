// A gated convolution over each text, instead of a layer's attention. For the thirds b, c and x of a row,
//   y = c * (w_0 · (b * x of the token `width` - 1 places before) + … + w_last · (b * x of the token)),
// for each channel separately. Tokens that are masked or before the text count as 0. Source: Liquid AI's LFM2, 2025, as
// in transformers 5.24.
#pragma once

#include <cstddef>

#include "engine/layers/execution_context.h"
#include "engine/tensor/ragged_batch.h"

namespace bert {

struct ShortConvolution {
  size_t channels = 0;
  size_t width = 0;
  const float* weights = nullptr;  // [channels, width]

  // thirds: [tokens, 3 * channels], y: [tokens, channels], different memory.
  void forward(const RaggedBatch& batch, ConstMatrixView thirds, MatrixView y, ExecutionContext& context) const;
};

}  // namespace bert
