#include "engine/layers/linear.h"

namespace bert {

void Linear::forward(ConstMatrixView x, MatrixView y, ExecutionContext& context, ConstMatrixView residual) const {
  const Product product{.x = x,
                        .parts = parts,
                        .activation = activation,
                        .residual = residual,
                        .y = y,
                        .coarse_rows = context.coarse_rows};
  context.gemm.multiply(product, context.pool, context.workspace.gemm_scratch());
}

size_t Linear::outs() const {
  size_t sum = 0;
  for (const LinearPart& part : parts) sum += part.weight.rows;
  return sum;
}

}  // namespace bert
