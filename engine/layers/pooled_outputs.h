// The outputs of the masked-language-model head for all tokens, pooled over each sequence: a weight for each entry of
// the vocabulary (SPLADE). The outputs are computed in the workspace in blocks of the vocabulary, and each block is
// pooled before the next one is computed, so the whole table [tokens, vocab] is never in memory.
// Source: Formal et al. 2021, arXiv 2107.05720 (sum), 2109.10086 (max); twice the logarithm: arXiv 2504.14839.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/layers/prediction_head.h"
#include "engine/tensor/ragged_batch.h"

namespace bert {

// weight = max or sum over a sequence's tokens of f(output), or of f(f(output)); f(x) = log(1 + relu(x)).
struct OutputPooling {
  bool sum = false;
  size_t logarithms = 1;  // how often f is applied: 1 or 2
};

// The non-zero weights of one sequence; indices: entries of the vocabulary, ascending. An output that is NaN or
// +infinity gives NaN.
struct PooledOutputs {
  std::vector<int32_t> indices;
  std::vector<float> values;
};

// x: [tokens, hidden], as for PredictionHead::forward, and not in the workspace's context matrix;  columns: the most
// entries of the vocabulary in a block, from 1 to the columns of the workspace's wide matrix; pooled: [sequences],
// initially empty. Overwrites the workspace's wide and context matrices. Sums are in float64, over the tokens in order.
void pool_outputs(const PredictionHead& head, ConstMatrixView x, const RaggedBatch& batch, const OutputPooling& pooling,
                  size_t columns, ExecutionContext& context, std::span<PooledOutputs> pooled);

}  // namespace bert
