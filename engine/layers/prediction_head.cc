#include "engine/layers/prediction_head.h"

namespace bert {

void PredictionHead::forward(ConstMatrixView x, MatrixView y, Execution& execution) const {
  if (!parts_.dense) return parts_.output.forward(x, y, execution);
  const MatrixView transformed = execution.workspace.wide(parts_.dense->out()).row_range(0, x.rows);
  parts_.dense->forward(x, transformed, execution);
  if (parts_.norm) parts_.norm->forward(transformed, execution);
  parts_.output.forward(transformed, y, execution);
}

}  // namespace bert
