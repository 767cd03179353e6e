#include "engine/layers/norm.h"

#include <algorithm>

namespace bert {

void Norm::forward(ConstMatrixView x, MatrixView y, ExecutionContext& context) const {
  constexpr size_t kRowsPerTask = 16;  // few enough to balance, enough to be worth a task
  const auto norm = kind == NormKind::kRmsNorm ? context.kernels.rms_norm : context.kernels.layer_norm;
  const size_t tasks = (x.rows + kRowsPerTask - 1) / kRowsPerTask;
  context.pool.run(tasks, [&](size_t task, size_t) {
    const size_t begin = task * kRowsPerTask;
    norm({.x = x.row(begin),
          .x_stride = x.stride,
          .y = y.row(begin),
          .y_stride = y.stride,
          .rows = std::min(kRowsPerTask, x.rows - begin),
          .cols = x.cols,
          .weight = weight,
          .bias = bias,
          .eps = eps});
  });
}

}  // namespace bert
