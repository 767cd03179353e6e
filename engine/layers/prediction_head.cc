#include "engine/layers/prediction_head.h"

namespace bert {

ConstMatrixView PredictionHead::transform(ConstMatrixView x, MatrixView memory, ExecutionContext& context) const {
  if (dense.empty()) return x;
  if (dense.size() > 1) {
    const MatrixView first = context.workspace.wide(dense.front().outs()).row_range(0, x.rows);
    dense.front().forward(x, first, context);
    x = first;
  }
  dense.back().forward(x, memory, context);
  if (norm) norm->forward(memory, memory, context);
  return memory;
}

void PredictionHead::forward(ConstMatrixView x, MatrixView y, ExecutionContext& context) const {
  const Workspace& workspace = context.workspace;
  const MatrixView memory = dense.size() > 1 ? workspace.attended() : workspace.wide(output_inputs());
  output.forward(transform(x, memory.row_range(0, x.rows), context), y, context);
}

}  // namespace bert
