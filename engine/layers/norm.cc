#include "engine/layers/norm.h"

namespace bert {

void Norm::forward(ConstMatrixView x, MatrixView y, ExecutionContext& context) const {
  const auto norm = kind == NormKind::kRmsNorm ? context.kernels.rms_norm : context.kernels.layer_norm;
  context.pool.run_rows(x.rows, [&](size_t first, size_t rows) {
    norm({.x = x.row(first),
          .x_stride = x.stride,
          .y = y.row(first),
          .y_stride = y.stride,
          .rows = rows,
          .cols = x.cols,
          .weight = weight,
          .bias = bias,
          .eps = eps});
  });
}

}  // namespace bert
