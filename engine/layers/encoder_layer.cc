#include "engine/layers/encoder_layer.h"

#include <utility>

namespace bert {
namespace {

// Returns x if there is no norm; else the norm of x, in `memory`.
ConstMatrixView normalized(const std::optional<Norm>& norm, ConstMatrixView x, MatrixView memory,
                           ExecutionContext& context) {
  if (!norm) return x;
  norm->forward(x, memory, context);
  return memory;
}

// Computes y = x + norm(y), in place.
void add_normalized(const Norm& norm, ConstMatrixView x, MatrixView y, ExecutionContext& context) {
  context.pool.run_rows(y.rows, [&](size_t first, size_t count) {
    norm.rows(y.row_range(first, count), y.row_range(first, count), context.kernels);
    for (size_t row = first; row < first + count; ++row) {
      context.kernels.add_row(y.row(row), {x.row(row), WeightFormat::kF32}, y.cols);
    }
  });
}

void feed_forward_block(const FeedForwardBlock& block, ConstMatrixView attended, MatrixView hidden,
                        ExecutionContext& context) {
  const MatrixView memory = context.workspace.context(hidden.cols).row_range(0, hidden.rows);
  const ConstMatrixView x = normalized(block.norm_before, attended, memory, context);
  const std::optional<Norm>& of_output = block.norm_of_output;
  block.network.forward(x, of_output ? ConstMatrixView{} : attended, hidden, context);
  if (of_output) add_normalized(*of_output, attended, hidden, context);
  if (block.norm_after) block.norm_after->forward(hidden, hidden, context);
}

}  // namespace

void attention_block(const LayerSpec& layer, const RaggedBatch& batch, ConstMatrixView hidden, MatrixView attended,
                     ExecutionContext& context, const ChangeHeads* change_heads) {
  const MatrixView mixed = context.workspace.context(layer.mixed_outputs()).row_range(0, hidden.rows);
  const size_t outputs = layer.attention.outputs();
  const MatrixView heads{mixed.data, mixed.rows, outputs, mixed.stride};
  const ConstMatrixView x = normalized(layer.norm_before_attention, hidden, attended, context);
  layer.attention.forward(batch, x, heads, context);
  if (layer.convolution) {
    const ConstMatrixView qkv = context.workspace.wide(layer.attention.qkv.outs()).row_range(0, hidden.rows);
    const MatrixView convolved{mixed.data + outputs, mixed.rows, mixed.cols - outputs, mixed.stride};
    layer.convolution->forward(batch, x, {qkv.data, qkv.rows, outputs, qkv.stride}, convolved, context);
  }
  if (change_heads != nullptr) (*change_heads)(heads);
  const std::optional<Norm>& of_output = layer.norm_of_attention;
  ConstMatrixView residual = hidden;
  if (layer.bottleneck) {
    const MatrixView entry = context.workspace.beside(attended.cols).row_range(0, hidden.rows);
    layer.bottleneck->enter.forward(hidden, entry, context);
    layer.bottleneck->norm_of_entry.forward(entry, entry, context);
    residual = entry;
  }
  layer.attention_output.forward(mixed, attended, context, of_output ? ConstMatrixView{} : residual);
  if (of_output) add_normalized(*of_output, residual, attended, context);
  if (layer.norm_after_attention) layer.norm_after_attention->forward(attended, attended, context);
}

void feed_forward_blocks(const LayerSpec& layer, MatrixView attended, MatrixView hidden, ExecutionContext& context) {
  MatrixView from = attended;
  MatrixView to = layer.bottleneck ? context.workspace.beside(attended.cols).row_range(0, attended.rows) : hidden;
  for (const FeedForwardBlock& block : layer.feed_forwards) {
    feed_forward_block(block, from, to, context);
    std::swap(from, to);
  }
  if (layer.bottleneck) {
    const MatrixView sum = context.workspace.context(hidden.cols).row_range(0, hidden.rows);
    layer.bottleneck->leave.forward(from, sum, context, hidden);
    layer.bottleneck->norm_after.forward(sum, hidden, context);
  } else if (from.data != hidden.data) {
    copy_rows(from, hidden, context);
  }
}

}  // namespace bert
