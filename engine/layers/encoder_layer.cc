#include "engine/layers/encoder_layer.h"

namespace bert {
namespace {

// x itself if there is no norm; else its norm, in `memory`.
ConstMatrixView normalized(const std::optional<Norm>& norm, ConstMatrixView x, MatrixView memory,
                           ExecutionContext& context) {
  if (!norm) return x;
  norm->forward(x, memory, context);
  return memory;
}

}  // namespace

void attention_block(const LayerSpec& layer, const RaggedBatch& batch, ConstMatrixView hidden, MatrixView attended,
                     ExecutionContext& context) {
  const MatrixView heads = context.workspace.context();
  const ConstMatrixView x = normalized(layer.norm_before_attention, hidden, attended, context);
  layer.attention.forward(batch, x, heads, context);
  layer.attention_output.forward(heads, attended, context, hidden);
  if (layer.norm_after_attention) layer.norm_after_attention->forward(attended, attended, context);
}

void feed_forward_block(const LayerSpec& layer, ConstMatrixView attended, MatrixView hidden,
                        ExecutionContext& context) {
  const ConstMatrixView x = normalized(layer.norm_before_feed_forward, attended, context.workspace.context(), context);
  layer.feed_forward.forward(x, attended, hidden, context);
  if (layer.norm_after_feed_forward) layer.norm_after_feed_forward->forward(hidden, hidden, context);
}

}  // namespace bert
