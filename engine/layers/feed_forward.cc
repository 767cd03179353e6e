#include "engine/layers/feed_forward.h"

namespace bert {
void FeedForward::forward(ConstMatrixView x, ConstMatrixView residual, MatrixView y, ExecutionContext& context) const {
  if (experts) return experts->forward(x, residual, y, context);
  MatrixView intermediate = context.workspace.wide(up.outs()).row_range(0, x.rows);
  up.forward(x, intermediate, context);
  if (gate) intermediate = apply_gate(*gate, intermediate, context);
  down.forward(intermediate, y, context, residual);
}

}  // namespace bert
