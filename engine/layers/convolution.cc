#include "engine/layers/convolution.h"

#include <algorithm>
#include <span>
#include <vector>

#include "engine/layers/softmax.h"

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

void add_product(const float* a, const float* b, float* y, size_t count) {
  for (size_t i = 0; i < count; ++i) y[i] += a[i] * b[i];
}

void add_scaled(float factor, const float* x, float* y, size_t count) {
  for (size_t i = 0; i < count; ++i) y[i] += factor * x[i];
}

// Calls use(token, rows of its neighbours, thread) for each token.
template <class Use>
void for_each_token(const RaggedBatch& batch, size_t width, ExecutionContext& context, const Use& use) {
  constexpr size_t kTokensOfTask = 16;
  const size_t tasks = (batch.tokens() + kTokensOfTask - 1) / kTokensOfTask;
  context.pool.run(tasks, [&](size_t task, size_t slot) {
    std::vector<size_t> rows(width);
    const size_t end = std::min(batch.tokens(), (task + 1) * kTokensOfTask);
    for (size_t token = task * kTokensOfTask; token < end; ++token) {
      find_neighbours(batch, token, width / 2, rows);
      use(token, std::span<const size_t>(rows), slot);
    }
  });
}

}  // namespace

void find_neighbours(const RaggedBatch& batch, size_t token, size_t before, std::span<size_t> rows) {
  const auto next = std::upper_bound(batch.row_starts.begin(), batch.row_starts.end(), token);
  const auto begin = batch.places.begin() + static_cast<ptrdiff_t>(*(next - 1));
  const auto end = batch.places.begin() + static_cast<ptrdiff_t>(*next);
  const int32_t first = batch.places[token] - static_cast<int32_t>(before);
  auto found = std::lower_bound(begin, end, first);
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool has_token = found != end && *found == first + static_cast<int32_t>(i);
    rows[i] = has_token ? static_cast<size_t>(found++ - batch.places.begin()) : kNoRow;
  }
}

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

void SpanConvolution::forward(const RaggedBatch& batch, ConstMatrixView x, ConstMatrixView queries, MatrixView y,
                              ExecutionContext& context) const {
  const MatrixView memory = context.workspace.beside(columns(x.cols)).row_range(0, x.rows);
  size_t first = 0;
  const auto matrix = [&](size_t cols) {
    const MatrixView view{memory.data + first, memory.rows, cols, memory.stride};
    first += cols;
    return view;
  };
  const MatrixView depth = matrix(x.cols), mixed = matrix(outputs()), weights = matrix(heads * width),
                   given = matrix(outputs());
  for_each_token(batch, width, context, [&](size_t token, std::span<const size_t> rows, size_t) {
    std::fill_n(depth.row(token), x.cols, 0.0f);
    for (size_t i = 0; i < width; ++i) {
      if (rows[i] != kNoRow) add_product(depthwise + i * x.cols, x.row(rows[i]), depth.row(token), x.cols);
    }
  });
  pointwise.forward(depth, mixed, context);
  for (size_t token = 0; token < x.rows; ++token) {
    for (size_t i = 0; i < outputs(); ++i) mixed.row(token)[i] *= queries.row(token)[i];
  }
  kernel.forward(mixed, weights, context);
  values.forward(x, given, context);
  for_each_token(batch, width, context, [&](size_t token, std::span<const size_t> rows, size_t slot) {
    std::vector<float> shares(width);
    std::fill_n(y.row(token), outputs(), 0.0f);
    for (size_t head = 0; head < heads; ++head) {
      softmax_row(weights.row(token) + head * width, shares.data(), width,
                  context.workspace.thread_scratch()[slot].data, context.kernels);
      for (size_t i = 0; i < width; ++i) {
        if (rows[i] == kNoRow) continue;
        add_scaled(shares[i], given.row(rows[i]) + head * head_dim, y.row(token) + head * head_dim, head_dim);
      }
    }
  });
}

}  // namespace bert
