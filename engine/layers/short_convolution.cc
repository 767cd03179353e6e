#include "engine/layers/short_convolution.h"

#include <algorithm>

namespace bert {

void ShortConvolution::forward(const RaggedBatch& batch, ConstMatrixView thirds, MatrixView y,
                               ExecutionContext& context) const {
  context.pool.run_rows(y.rows, [&](size_t first, size_t count) {
    for (size_t row = first; row < first + count; ++row) {
      const auto next = std::upper_bound(batch.row_starts.begin(), batch.row_starts.end(), row);
      const size_t begin = std::max(*(next - 1), row < width ? 0 : row + 1 - width);
      float* to = y.row(row);
      std::fill_n(to, channels, 0.0f);
      for (size_t from = begin; from <= row; ++from) {
        const auto distance = static_cast<size_t>(batch.places[row] - batch.places[from]);
        if (distance >= width) continue;
        const float *b = thirds.row(from), *x = b + 2 * channels, *weight = weights + width - 1 - distance;
        for (size_t i = 0; i < channels; ++i) to[i] += weight[i * width] * (b[i] * x[i]);
      }
      const float* c = thirds.row(row) + channels;
      for (size_t i = 0; i < channels; ++i) to[i] *= c[i];
    }
  });
}

}  // namespace bert
