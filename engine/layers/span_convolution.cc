#include "engine/layers/span_convolution.h"

#include <algorithm>
#include <span>
#include <vector>

#include "engine/layers/neighbours.h"
#include "engine/layers/softmax.h"

namespace bert {
namespace {

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
