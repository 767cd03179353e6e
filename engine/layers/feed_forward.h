// The feed-forward block of an encoder layer: two dense layers with the activation between them.
// Source: Vaswani et al. 2017, section 3.3; BERT uses GELU.
#pragma once

#include "engine/layers/linear.h"

namespace bert {

class FeedForward {
 public:
  // up: hidden to intermediate, with the activation; down: intermediate to hidden.
  FeedForward(Linear up, Linear down) : up_(std::move(up)), down_(std::move(down)) {}

  // y = down(act(up(x))) + residual.   x, y, residual: [tokens, hidden].
  void forward(ConstMatrixView x, ConstMatrixView residual, MatrixView y, Execution& execution) const {
    up_.forward(x, execution.workspace.intermediate(), execution);
    down_.forward(execution.workspace.intermediate(), y, execution, residual);
  }

 private:
  Linear up_;
  Linear down_;
};

}  // namespace bert
