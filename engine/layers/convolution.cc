#include "engine/layers/convolution.h"

#include <algorithm>

namespace bert {
namespace {

// The vectors of `width` places around the token's, side by side; zeros where the text has no token.
void gather_neighbours(const RaggedBatch& batch, size_t token, size_t width, ConstMatrixView x, float* to) {
  const auto next = std::upper_bound(batch.row_starts.begin(), batch.row_starts.end(), token);
  const auto begin = batch.places.begin() + static_cast<ptrdiff_t>(*(next - 1));
  const auto end = batch.places.begin() + static_cast<ptrdiff_t>(*next);
  const int32_t first = batch.places[token] - static_cast<int32_t>(width / 2);
  auto found = std::lower_bound(begin, end, first);
  for (size_t i = 0; i < width; ++i, to += x.cols) {
    if (found != end && *found == first + static_cast<int32_t>(i)) {
      const float* row = x.row(static_cast<size_t>(found - batch.places.begin()));
      std::copy(row, row + x.cols, to);
      ++found;
    } else {
      std::fill(to, to + x.cols, 0.0f);
    }
  }
}

}  // namespace

void Convolution::forward(const RaggedBatch& batch, ConstMatrixView x, MatrixView y, ExecutionContext& context) const {
  const MatrixView neighbours = context.workspace.wide(width * x.cols);
  const MatrixView sum = context.workspace.attended();
  context.pool.run_rows(x.rows, [&](size_t first, size_t count) {
    for (size_t token = first; token < first + count; ++token) {
      gather_neighbours(batch, token, width, x, neighbours.row(token));
    }
  });
  dense.forward(neighbours, sum, context, y);
  norm.forward(sum, y, context);
}

}  // namespace bert
