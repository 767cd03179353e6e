// Multi-head self-attention over a ragged batch: Softmax(q kᵀ / sqrt(head_dim)) v for each head of each sequence.
// Several heads of queries may share one of keys and values.
// Sources: Vaswani et al. 2017, section 3.2; Ainslie et al. 2023 (shared keys); Beltagy et al. 2020 (windows).
#pragma once

#include <cstddef>
#include <optional>

#include "engine/layers/linear.h"
#include "engine/layers/relative_positions.h"
#include "engine/tensor/ragged_batch.h"

namespace bert {

struct SelfAttention {
  Linear qkv = {};  // query, key and value as one product: (heads + 2 * key_heads) * head_dim outputs
  size_t heads = 0;
  size_t key_heads = 0;  // divides heads
  size_t head_dim = 0;
  size_t score_terms = 1;                          // scores are divided by sqrt(head_dim * score_terms)
  size_t window = kNoWindow;                       // a token sees those at most this many places away
  std::optional<RelativePositions> relative = {};  // if scores depend on distances
  std::optional<size_t> rotary_table = {};         // of the workspace: queries and keys are rotated by it

  // x: [tokens, hidden], y: [tokens, heads * head_dim]. Sequences attend to their own tokens only. Overwrites the
  // workspace's wide matrix.
  void forward(const RaggedBatch& batch, ConstMatrixView x, MatrixView y, ExecutionContext& context) const;

  // The attention weights of one sequence for the last forward() (its queries and keys are still in the workspace):
  // probabilities [heads, length (query), length (key)].
  void probabilities(const RaggedBatch& batch, size_t sequence, float* probabilities, ExecutionContext& context) const;
};

}  // namespace bert
