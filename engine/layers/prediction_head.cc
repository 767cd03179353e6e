#include "engine/layers/prediction_head.h"

namespace bert {

ConstMatrixView PredictionHead::transform(ConstMatrixView x, ExecutionContext& context) const {
  for (size_t i = 0; i < dense.size(); ++i) {
    const MatrixView memory = i == 0 ? context.workspace.wide(dense[i].outs()) : context.workspace.attended();
    const MatrixView transformed = memory.row_range(0, x.rows);
    dense[i].forward(x, transformed, context);
    if (norm && i + 1 == dense.size()) norm->forward(transformed, transformed, context);
    x = transformed;
  }
  return x;
}

void PredictionHead::forward(ConstMatrixView x, MatrixView y, ExecutionContext& context) const {
  output.forward(transform(x, context), y, context);
}

}  // namespace bert
