#include "engine/layers/prediction_head.h"

namespace bert {

void PredictionHead::forward(ConstMatrixView x, MatrixView y, ExecutionContext& context) const {
  if (!dense) return output.forward(x, y, context);
  const MatrixView transformed = context.workspace.wide(dense->outs()).row_range(0, x.rows);
  dense->forward(x, transformed, context);
  if (norm) norm->forward(transformed, transformed, context);
  output.forward(transformed, y, context);
}

}  // namespace bert
