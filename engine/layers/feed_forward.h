// The feed-forward network of an encoder layer: two dense layers with the activation between them.
// Source: Vaswani et al. 2017, section 3.3; BERT uses GELU.
#pragma once

#include "engine/layers/linear.h"

namespace bert {

struct FeedForward {
  Linear up;    // hidden to intermediate, with the activation
  Linear down;  // intermediate to hidden

  // y = down(act(up(x))) + residual.   x, y, residual: [tokens, hidden]. Overwrites the workspace's wide matrix.
  void forward(ConstMatrixView x, ConstMatrixView residual, MatrixView y, ExecutionContext& context) const {
    const MatrixView intermediate = context.workspace.wide(up.outs());
    up.forward(x, intermediate, context);
    down.forward(intermediate, y, context, residual);
  }
};

}  // namespace bert
