#include "engine/layers/pooler.h"

namespace bert {

void Pooler::forward(const RaggedBatch& batch, ConstMatrixView hidden, MatrixView pooled,
                     ExecutionContext& context) const {
  const MatrixView first = context.workspace.context(hidden.cols).row_range(0, batch.sequences());
  for (size_t sequence = 0; sequence < batch.sequences(); ++sequence) {
    context.kernels.copy_row(first.row(sequence), {hidden.row(batch.row_starts[sequence]), WeightFormat::kF32},
                             hidden.cols);
  }
  dense.forward(first, pooled, context);
}

}  // namespace bert
