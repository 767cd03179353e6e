#include "engine/layers/norm.h"

#include <algorithm>

namespace bert {

void Norm::forward(MatrixView x, ExecutionContext& context) const {
  constexpr size_t kRowsPerTask = 16;  // few enough to balance, enough to be worth a task
  const size_t tasks = (x.rows + kRowsPerTask - 1) / kRowsPerTask;
  context.pool.run(tasks, [&](size_t task, size_t) {
    const size_t begin = task * kRowsPerTask;
    const size_t rows = std::min(kRowsPerTask, x.rows - begin);
    context.kernels.layer_norm({.x = x.row(begin),
                                .stride = x.stride,
                                .rows = rows,
                                .cols = x.cols,
                                .weight = weight,
                                .bias = bias,
                                .eps = eps});
  });
}

}  // namespace bert
