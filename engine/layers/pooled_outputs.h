// The outputs of a head for the masked tokens, pooled over the tokens of each sequence: a weight for each entry of the
// vocabulary (SPLADE). The outputs are computed in blocks of the vocabulary, each pooled at once, in the workspace: the
// table [tokens, vocab] never exists.
// Source: Formal et al. 2021, arXiv 2107.05720 (sum), 2109.10086 (max); twice the logarithm: arXiv 2504.14839.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/layers/prediction_head.h"
#include "engine/tensor/ragged_batch.h"

namespace bert {

// weight = max or sum over a sequence's tokens of f(output), f(x) = log(1 + relu(x)), applied once or twice.
struct OutputPooling {
  bool sum = false;
  size_t logarithms = 1;
};

// Those of one sequence that are not 0: indices ascending. A NaN among the values if an output is not finite.
struct PooledOutputs {
  std::vector<int32_t> indices;
  std::vector<float> values;
};

// x: [tokens, hidden], as for PredictionHead::forward, and not in the workspace's context matrix;  columns: of the
// workspace's wide matrix, at least 1;  pooled: [sequences], empty.
// The workspace's wide and context matrices are overwritten. A sum is in float64 over the tokens in order.
void pool_outputs(const PredictionHead& head, ConstMatrixView x, const RaggedBatch& batch, const OutputPooling& pooling,
                  size_t columns, ExecutionContext& context, std::span<PooledOutputs> pooled);

}  // namespace bert
