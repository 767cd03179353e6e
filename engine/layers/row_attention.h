// Multi-head self-attention over the rows of one matrix, after the encoder, with its own scratch memory.
// Source: Vaswani et al. 2017, section 3.2; Beltagy et al. 2020 (windows).
#pragma once

#include <cstddef>
#include <functional>

#include "engine/layers/product_runner.h"

namespace bert {

// Computes what is added to the scaled scores of a head's queries [first_query, first_query + queries).   bias:
// [queries, rows]
using RowAttentionBias = std::function<void(size_t head, size_t first_query, size_t queries, float* bias)>;

// Views: the checkpoint keeps weights and biases alive.
struct RowAttention {
  LinearPart qkv;             // [3 * width, width]: queries, keys, values
  LinearPart output;          // [width, width]
  size_t heads = 1;           // divides width
  size_t window = kNoWindow;  // a row attends to rows at most this many rows away

  // Returns output(softmax(q kᵀ / sqrt(head_dim) + bias) v).   x and the result: [rows, width];  bias: null: none
  Matrix forward(ConstMatrixView x, const ProductRunner& products, const RowAttentionBias& bias = nullptr) const;
};

}  // namespace bert
