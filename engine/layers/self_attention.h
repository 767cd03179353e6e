// Multi-head self-attention over a ragged batch: Softmax(q kᵀ / sqrt(head_dim)) v for each head of each sequence.
// Source: Vaswani et al. 2017, section 3.2.
#pragma once

#include <cstddef>
#include <optional>

#include "engine/layers/linear.h"
#include "engine/layers/relative_positions.h"
#include "engine/tensor/ragged_batch.h"

namespace bert {

struct SelfAttention {
  Linear qkv;  // query, key and value as one product: [3 * heads * head_dim] outputs
  size_t heads = 0;
  size_t head_dim = 0;
  size_t score_terms = 1;                          // scores are divided by sqrt(head_dim * score_terms)
  std::optional<RelativePositions> relative = {};  // if scores depend on distances

  // x: [tokens, hidden], y: [tokens, heads * head_dim]. Sequences attend to their own tokens only. Overwrites the
  // workspace's wide matrix.
  void forward(const RaggedBatch& batch, ConstMatrixView x, MatrixView y, ExecutionContext& context) const;

  // The attention weights of one sequence for the last forward() (its queries and keys are still in the workspace):
  // probabilities [heads, length (query), length (key)].
  void probabilities(const RaggedBatch& batch, size_t sequence, float* probabilities, ExecutionContext& context) const;
};

}  // namespace bert
