#include "engine/layers/feed_forward.h"

namespace bert {
namespace {

// From [rows, both halves] to [rows, half], in place in the first columns.
MatrixView apply_gate(const Gate& gate, MatrixView halves, ExecutionContext& context) {
  constexpr size_t kRowsPerTask = 8;
  const MatrixView y = {halves.data, halves.rows, halves.cols / 2, halves.stride};
  const auto gate_rows = [&](size_t row, size_t rows) {
    const float* first = halves.row(row);
    const float* second = first + y.cols;
    const bool is_first = gate.activated == Gate::Activated::kFirst;
    context.kernels.gate({.x = is_first ? first : second,
                          .gate = is_first ? second : first,
                          .stride = halves.stride,
                          .y = y.row(row),
                          .y_stride = y.stride,
                          .rows = rows,
                          .cols = y.cols,
                          .activation = gate.activation});
  };
  context.pool.run_rows(y.rows, gate_rows, kRowsPerTask);
  return y;
}

}  // namespace

void FeedForward::forward(ConstMatrixView x, ConstMatrixView residual, MatrixView y, ExecutionContext& context) const {
  if (experts) return experts->forward(x, residual, y, context);
  MatrixView intermediate = context.workspace.wide(up.outs()).row_range(0, x.rows);
  up.forward(x, intermediate, context);
  if (gate) intermediate = apply_gate(*gate, intermediate, context);
  down.forward(intermediate, y, context, residual);
}

}  // namespace bert
