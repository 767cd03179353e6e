#include "engine/layers/linear.h"

#include <utility>

namespace bert {

Linear::Linear(std::vector<LinearPart> parts, Activation activation)
    : parts_(std::move(parts)), activation_(activation) {}

void Linear::forward(ConstMatrixView x, MatrixView y, Execution& execution, ConstMatrixView residual) const {
  const Product product{.x = x, .parts = parts_, .activation = activation_, .residual = residual, .y = y};
  execution.gemm.multiply(product, execution.pool, execution.workspace.thread_scratch());
}

size_t Linear::out() const {
  size_t sum = 0;
  for (const LinearPart& part : parts_) sum += part.weight.rows;
  return sum;
}

}  // namespace bert
