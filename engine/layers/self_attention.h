// Multi-head self-attention over a ragged batch: Softmax(q kᵀ / sqrt(head_dim)) v, every head of every sequence apart.
// Source: Vaswani et al. 2017, section 3.2.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "engine/layers/execution.h"
#include "engine/layers/linear.h"
#include "engine/layers/relative_positions.h"
#include "engine/tensor/ragged_batch.h"

namespace bert {

class SelfAttention {
 public:
  // qkv: query, key and value as one product, [3 * hidden] outputs. relative: where scores depend on distances.
  SelfAttention(Linear qkv, size_t heads, std::optional<RelativePositions> relative = {})
      : qkv_(std::move(qkv)), heads_(heads), relative_(relative) {}

  // x, y: [tokens, hidden]. Sequences attend to their own tokens only.
  void forward(const RaggedBatch& batch, ConstMatrixView x, MatrixView y, Execution& execution) const;

  // The attention weights of one sequence for what forward() has just computed (its queries and keys are still in the
  // workspace): probabilities [heads, length (query), length (key)].
  void probabilities(const RaggedBatch& batch, size_t sequence, float* probabilities, Execution& execution) const;

 private:
  AttentionArgs head_args(const RaggedBatch& batch, size_t sequence, size_t head, size_t slot,
                          Execution& execution) const;

  Linear qkv_;
  size_t heads_;
  std::optional<RelativePositions> relative_;
};

}  // namespace bert
