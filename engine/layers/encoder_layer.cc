#include "engine/layers/encoder_layer.h"

namespace bert {

void EncoderLayer::attend(const RaggedBatch& batch, ConstMatrixView hidden, Execution& execution) const {
  const MatrixView context = execution.workspace.context();
  const MatrixView attended = execution.workspace.attended();
  parts_.attention.forward(batch, hidden, context, execution);
  parts_.attention_output.forward(context, attended, execution, hidden);
  parts_.attention_norm.forward(attended, execution);
}

void EncoderLayer::feed(MatrixView hidden, Execution& execution) const {
  const MatrixView attended = execution.workspace.attended();
  parts_.feed_forward.forward(attended, attended, hidden, execution);
  parts_.output_norm.forward(hidden, execution);
}

}  // namespace bert
