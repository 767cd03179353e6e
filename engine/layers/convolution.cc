#include "engine/layers/convolution.h"

#include <algorithm>
#include <span>
#include <vector>

#include "engine/layers/neighbours.h"

namespace bert {
namespace {

// Copies the vectors of the token and its neighbours side by side; zeros where the text has no token.
void gather(std::span<const size_t> rows, ConstMatrixView x, float* to) {
  for (const size_t row : rows) {
    if (row == kNoRow) {
      std::fill_n(to, x.cols, 0.0f);
    } else {
      std::copy_n(x.row(row), x.cols, to);
    }
    to += x.cols;
  }
}

}  // namespace

void Convolution::forward(const RaggedBatch& batch, ConstMatrixView x, MatrixView y, ExecutionContext& context) const {
  const MatrixView neighbours = context.workspace.wide(width * x.cols);
  const MatrixView sum = context.workspace.attended();
  context.pool.run_rows(x.rows, [&](size_t first, size_t count) {
    std::vector<size_t> rows(width);
    for (size_t token = first; token < first + count; ++token) {
      find_neighbours(batch, token, width / 2, rows);
      gather(rows, x, neighbours.row(token));
    }
  });
  dense.forward(neighbours, sum, context, y);
  norm.forward(sum, y, context);
}

}  // namespace bert
