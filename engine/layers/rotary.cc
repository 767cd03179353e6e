#include "engine/layers/rotary.h"

#include <cmath>

namespace bert {

Rotary::Rotary(size_t head_dim, const Options& options) : head_dim_(head_dim), options_(options) {}

// In float32 as in the reference: models are trained with these roundings. A power is rounded once from float64, so the
// C library's last bit does not matter.
std::vector<float> Rotary::frequencies(size_t length) const {
  const auto dim = static_cast<double>(head_dim_);
  const double factor = options_.factor;
  double theta = options_.theta;
  float divisor = 1;
  switch (options_.scaling) {
    case Scaling::kNone:
      break;
    case Scaling::kLinear:
      divisor = static_cast<float>(factor);
      break;
    case Scaling::kNtk:
      theta *= factor;
      divisor = static_cast<float>(std::pow(factor, 2 / dim));
      break;
    case Scaling::kDynamic:
      if (length > options_.trained_length) {
        const double times = static_cast<double>(length) / static_cast<double>(options_.trained_length);
        theta *= std::pow(factor * times - (factor - 1), dim / (dim - 2));
      }
      break;
  }
  std::vector<float> frequencies;
  for (size_t d = 0; d < head_dim_; d += 2) {
    const float exponent = static_cast<float>(d) / static_cast<float>(head_dim_);
    const auto power = static_cast<float>(std::pow(static_cast<double>(static_cast<float>(theta)), exponent));
    frequencies.push_back(1.0f / power / divisor);
  }
  return frequencies;
}

void Rotary::fill_table(const RaggedBatch& batch, MatrixView table, ExecutionContext& context) const {
  const size_t half = head_dim_ / 2;
  const auto fill = [&](size_t first, size_t rows, const std::vector<float>& frequencies) {
    context.pool.run_rows(rows, [&](size_t begin, size_t count) {
      for (size_t token = first + begin; token < first + begin + count; ++token) {
        const auto place = static_cast<float>(batch.places[token]);
        float* row = table.row(token);
        for (size_t d = 0; d < half; ++d) {
          const auto angle = static_cast<double>(place * frequencies[d]);
          row[d] = static_cast<float>(std::cos(angle));
          row[half + d] = static_cast<float>(std::sin(angle));
        }
      }
    });
  };
  if (options_.scaling != Scaling::kDynamic) return fill(0, batch.tokens(), frequencies(0));
  for (size_t sequence = 0; sequence < batch.sequences(); ++sequence) {
    const size_t first = batch.row_starts[sequence], end = batch.row_starts[sequence + 1];
    fill(first, end - first, frequencies(static_cast<size_t>(batch.places[end - 1]) + 1));
  }
}

void rotate(MatrixView x, size_t heads, ConstMatrixView table, ExecutionContext& context) {
  context.pool.run_rows(x.rows, [&](size_t first, size_t rows) {
    context.kernels.rotate({.x = x.row(first),
                            .stride = x.stride,
                            .rows = rows,
                            .heads = heads,
                            .head_dim = table.cols,
                            .table = table.row(first)});
  });
}

}  // namespace bert
