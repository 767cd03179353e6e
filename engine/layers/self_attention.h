// Multi-head self-attention over a ragged batch: softmax(q kᵀ / sqrt(head_dim)) v for each head of each sequence.
// Several heads of queries may share one head of keys and values. Queries and keys may be normalised, each head by
// itself, before positions rotate them. A head may have a sink: an additional score whose weight goes to no token.
// Global tokens are attended to by all tokens, and attend to all tokens with their own queries, keys and values.
// Sources: Vaswani et al. 2017, section 3.2, and 3.2.3 (causal); Ainslie et al. 2023 (shared keys); Beltagy et al. 2020
// (windows); Henry et al. 2020 (norms of queries and keys); Xiao et al. 2024 (sinks).
#pragma once

#include <cstddef>
#include <optional>

#include "engine/layers/convolution.h"
#include "engine/layers/linear.h"
#include "engine/layers/norm.h"
#include "engine/layers/relative_positions.h"
#include "engine/layers/rotary.h"
#include "engine/tensor/ragged_batch.h"

namespace bert {

struct SelfAttention {
  Linear qkv = {};  // query, key and value as one product: (heads + 2 * key_heads) * head_dim outputs
  size_t heads = 0;
  size_t key_heads = 0;  // divides heads
  size_t head_dim = 0;
  size_t score_width = 0;               // scores are divided by its square root
  float soft_cap = 0;                   // caps scaled scores; 0: none
  size_t window = kNoWindow;            // a token attends to tokens at most this many places away
  bool is_causal = false;               // a token does not attend to tokens after it
  std::optional<Norm> query_norm = {};  // applied to each head
  std::optional<Norm> key_norm = {};
  std::optional<RelativePositions> relative = {};  // set if scores depend on distances
  std::optional<size_t> rotary_table = {};         // index of the workspace's table that rotates queries and keys
  RotaryPairs rotary_pairs = RotaryPairs::kHalves;
  const float* sinks = nullptr;  // [heads], or null
  Linear global = {};            // as qkv, for global tokens; without parts there are none
  // Instead of attention: it reads the three thirds of qkv's output. There are no probabilities.
  std::optional<ShortConvolution> convolution = {};

  size_t outputs() const { return convolution ? convolution->channels : heads * head_dim; }
  // Returns the columns of the workspace's wide matrix that forward() needs.
  size_t wide_columns() const { return qkv.outs() + global.outs(); }

  // x: [tokens, hidden], y: [tokens, outputs()]. Sequences attend to their own tokens only. Overwrites the
  // workspace's wide matrix.
  void forward(const RaggedBatch& batch, ConstMatrixView x, MatrixView y, ExecutionContext& context) const;

  // Computes the attention weights of one sequence for the last forward(), whose queries and keys are still in the
  // workspace.   probabilities: [heads, length (query), length (key)]
  void probabilities(const RaggedBatch& batch, size_t sequence, float* probabilities, ExecutionContext& context) const;
};

}  // namespace bert
