#include "engine/layers/pooler.h"

namespace bert {

void Pooler::forward(const RaggedBatch& batch, ConstMatrixView hidden, MatrixView pooled, Execution& execution) const {
  const MatrixView first = execution.workspace.context().row_range(0, batch.sequences());
  for (size_t sequence = 0; sequence < batch.sequences(); ++sequence) {
    execution.kernels.copy_row[kWeightF32](first.row(sequence), hidden.row(batch.starts[sequence]), hidden.cols);
  }
  dense_.forward(first, pooled, execution);
}

}  // namespace bert
