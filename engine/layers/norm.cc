#include "engine/layers/norm.h"

namespace bert {

void Norm::forward(ConstMatrixView x, MatrixView y, ExecutionContext& context) const {
  context.pool.run_rows(x.rows, [&](size_t first, size_t count) {
    rows({x.row(first), count, x.cols, x.stride}, y.row_range(first, count), context.kernels);
  });
}

void Norm::rows(ConstMatrixView x, MatrixView y, const KernelTable& kernels) const {
  if (kind == NormKind::kNone) {
    for (size_t row = 0; row < x.rows; ++row) {
      for (size_t i = 0; i < x.cols; ++i) y.row(row)[i] = x.row(row)[i] * weight[i] + bias[i];
    }
    return;
  }
  const auto norm = kind == NormKind::kRmsNorm ? kernels.rms_norm : kernels.layer_norm;
  norm({.x = x.data,
        .x_stride = x.stride,
        .y = y.data,
        .y_stride = y.stride,
        .rows = x.rows,
        .cols = x.cols,
        .weight = weight,
        .bias = bias,
        .eps = eps});
}

}  // namespace bert
