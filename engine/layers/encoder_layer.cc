#include "engine/layers/encoder_layer.h"

namespace bert {

void attention_block(const LayerSpec& layer, const RaggedBatch& batch, ConstMatrixView hidden,
                     ExecutionContext& context) {
  const MatrixView heads = context.workspace.context();
  const MatrixView attended = context.workspace.attended();
  layer.attention.forward(batch, hidden, heads, context);
  layer.attention_output.forward(heads, attended, context, hidden);
  layer.attention_norm.forward(attended, context);
}

void feed_forward_block(const LayerSpec& layer, MatrixView hidden, ExecutionContext& context) {
  const MatrixView attended = context.workspace.attended();
  layer.feed_forward.forward(attended, attended, hidden, context);
  layer.output_norm.forward(hidden, context);
}

}  // namespace bert
