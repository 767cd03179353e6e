#include "engine/layers/layer_norm.h"

#include <algorithm>

namespace bert {

void LayerNorm::forward(MatrixView x, Execution& execution) const {
  constexpr size_t kRowsPerTask = 16;  // few enough to balance, enough to be worth taking a task
  const size_t tasks = (x.rows + kRowsPerTask - 1) / kRowsPerTask;
  execution.pool.run(tasks, [&](size_t task, size_t) {
    const size_t begin = task * kRowsPerTask;
    const size_t rows = std::min(kRowsPerTask, x.rows - begin);
    execution.kernels.layer_norm({.x = x.row(begin),
                                  .stride = x.stride,
                                  .rows = rows,
                                  .cols = x.cols,
                                  .weight = weight_,
                                  .bias = bias_,
                                  .eps = eps_});
  });
}

}  // namespace bert
