// The pooler: tanh(dense(first token)), the input of BERT's next-sentence task in training.
// Source: Devlin et al. 2019, section 3.1 ("C").
#pragma once

#include "engine/layers/linear.h"
#include "engine/tensor/ragged_batch.h"

namespace bert {

struct Pooler {
  Linear dense;  // hidden to hidden, with tanh

  // hidden: [tokens, hidden]; pooled: [sequences, hidden]. Overwrites the workspace's context matrix.
  void forward(const RaggedBatch& batch, ConstMatrixView hidden, MatrixView pooled, ExecutionContext& context) const;
};

}  // namespace bert
