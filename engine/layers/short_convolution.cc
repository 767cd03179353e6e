#include "engine/layers/short_convolution.h"

#include <algorithm>
#include <vector>

#include "engine/layers/neighbours.h"

namespace bert {

void ShortConvolution::forward(const RaggedBatch& batch, ConstMatrixView thirds, MatrixView y,
                               ExecutionContext& context) const {
  context.pool.run_rows(y.rows, [&](size_t first, size_t count) {
    std::vector<size_t> rows(width);
    for (size_t row = first; row < first + count; ++row) {
      find_neighbours(batch, row, width - 1, rows);
      float* to = y.row(row);
      std::fill_n(to, channels, 0.0f);
      for (size_t place = 0; place < width; ++place) {
        if (rows[place] == kNoRow) continue;
        const float *b = thirds.row(rows[place]), *x = b + 2 * channels, *weight = weights + place;
        for (size_t i = 0; i < channels; ++i) to[i] += weight[i * width] * (b[i] * x[i]);
      }
      const float* c = thirds.row(row) + channels;
      for (size_t i = 0; i < channels; ++i) to[i] *= c[i];
    }
  });
}

}  // namespace bert
