#include "engine/layers/pooled_outputs.h"

#include <algorithm>
#include <limits>

#include "engine/base/bit_cast.h"
#include "engine/kernels/product_kernel.h"

namespace bert {
namespace {

constexpr size_t kPoolColumns = 64;       // columns that are pooled at once, in registers and L1
constexpr size_t kPoolTaskColumns = 512;  // columns of one task

// Combines the rows of one sequence, in a part of a block that has at most kPoolColumns columns, and writes the result
// into the first row. For a sum, the caller has already applied the activation to the rows. For a maximum, the caller
// applies it to the result, which is the same because the activation never decreases.
void pool_columns(MatrixView rows, bool sum) {
  constexpr uint32_t kExponent = 0x7F800000;  // all ones for a NaN or an infinity
  const size_t cols = rows.cols;
  uint32_t not_finite[kPoolColumns] = {};
  if (sum) {
    double sums[kPoolColumns] = {};
    for (size_t row = 0; row < rows.rows; ++row) {
      const float* values = rows.row(row);
      for (size_t i = 0; i < cols; ++i) sums[i] += static_cast<double>(values[i]);
    }
    for (size_t i = 0; i < cols; ++i) rows.row(0)[i] = static_cast<float>(sums[i]);
    return;
  }
  float largest[kPoolColumns];
  std::copy_n(rows.row(0), cols, largest);
  for (size_t row = 0; row < rows.rows; ++row) {
    const float* values = rows.row(row);
    for (size_t i = 0; i < cols; ++i) {
      largest[i] = largest[i] > values[i] ? largest[i] : values[i];
      not_finite[i] |= (bit_cast<uint32_t>(values[i]) & kExponent) == kExponent ? 1u : 0u;
    }
  }
  for (size_t i = 0; i < cols; ++i) {
    rows.row(0)[i] = not_finite[i] != 0 ? std::numeric_limits<float>::quiet_NaN() : largest[i];
  }
}

// One block of the vocabulary for all tokens.
class Block {
 public:
  Block(const RaggedBatch& batch, const OutputPooling& pooling, ExecutionContext& context)
      : batch_(batch), pooling_(pooling), context_(context) {}

  // part: the block's weights;  y: [tokens, part.weight.rows], overwritten;  first: the block's first entry of the
  // vocabulary.
  void pool(ConstMatrixView x, const LinearPart& part, MatrixView y, size_t first, std::span<PooledOutputs> pooled) {
    const Linear linear{{part}, pooling_.sum ? Activation::kLog1pRelu : Activation::kIdentity};
    linear.forward(x, y, context_);
    const size_t tasks = (y.cols + kPoolTaskColumns - 1) / kPoolTaskColumns;
    context_.pool.run(batch_.sequences() * tasks, [&](size_t task, size_t) {
      const size_t begin = task % tasks * kPoolTaskColumns;
      const size_t end = std::min(begin + kPoolTaskColumns, y.cols);
      const size_t sequence = task / tasks;
      for (size_t column = begin; column < end; column += kPoolColumns) {
        const size_t columns = std::min(kPoolColumns, end - column);
        const MatrixView rows{y.row(batch_.row_starts[sequence]) + column, batch_.length(sequence), columns, y.stride};
        if (pooling_.sum) activate(rows, 1);
        pool_columns(rows, pooling_.sum);
      }
    });
    context_.pool.run(batch_.sequences(), [&](size_t sequence, size_t) {
      keep(y.row(batch_.row_starts[sequence]), y.cols, first, pooled[sequence]);
    });
  }

  // Applies the activation after a maximum.
  void finish(PooledOutputs& pooled) const {
    const MatrixView row{pooled.values.data(), 1, pooled.values.size(), pooled.values.size()};
    if (!pooling_.sum) activate(row, 0);
  }

 private:
  // done: how often the activation was already applied.
  void activate(MatrixView rows, size_t done) const {
    for (size_t times = done; times < pooling_.logarithms; ++times) {
      for (size_t row = 0; row < rows.rows; ++row) {
        context_.kernels.activate(rows.row(row), rows.cols, Activation::kLog1pRelu);
      }
    }
  }

  static void keep(const float* values, size_t count, size_t first, PooledOutputs& pooled) {
    for (size_t i = 0; i < count; ++i) {
      if (values[i] <= 0) continue;  // keeps NaN
      pooled.indices.push_back(static_cast<int32_t>(first + i));
      pooled.values.push_back(values[i]);
    }
  }

  const RaggedBatch& batch_;
  const OutputPooling& pooling_;
  ExecutionContext& context_;
};

// Returns the input of the head's output layer, outside of the wide matrix. `own` is used if the workspace is too
// narrow.
ConstMatrixView transformed(const PredictionHead& head, ConstMatrixView x, Matrix& own, ExecutionContext& context) {
  const size_t inputs = head.output_inputs();
  if (inputs > x.cols) own = Matrix(x.rows, inputs);
  const MatrixView memory = inputs > x.cols ? own.view() : context.workspace.context(inputs).row_range(0, x.rows);
  return head.transform(x, memory, context);
}

}  // namespace

void pool_outputs(const PredictionHead& head, ConstMatrixView x, const RaggedBatch& batch, const OutputPooling& pooling,
                  size_t columns, ExecutionContext& context, std::span<PooledOutputs> pooled) {
  Matrix own;
  x = transformed(head, x, own, context);
  // Whole groups of panels, so that a block is split as a whole product is.
  const size_t groups = columns / kMaxGroupOutputs * kMaxGroupOutputs;
  const size_t most = groups > 0 ? groups : columns;
  Block block(batch, pooling, context);
  size_t before = 0;
  for (const LinearPart& part : head.output.parts) {
    for (size_t first = 0; first < part.weight.rows; first += most) {
      const size_t count = std::min(most, part.weight.rows - first);
      const LinearPart rows{part.weight.row_range(first, count), part.bias == nullptr ? nullptr : part.bias + first};
      const MatrixView y = context.workspace.wide(columns);
      block.pool(x, rows, {y.data, x.rows, count, y.stride}, before + first, pooled);
    }
    before += part.weight.rows;
  }
  for (PooledOutputs& one : pooled) block.finish(one);
}

}  // namespace bert
