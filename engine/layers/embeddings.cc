#include "engine/layers/embeddings.h"

namespace bert {

void Embeddings::forward(const RaggedBatch& batch, MatrixView y, Execution& execution) const {
  const KernelTable& kernels = execution.kernels;
  for (size_t token = 0; token < batch.tokens(); ++token) {
    const auto row_of = [](const WeightView& table, int32_t index) { return table.row(static_cast<size_t>(index)); };
    float* row = y.row(token);
    kernels.copy_row[weight_type(word_.dtype)](row, row_of(word_, batch.ids[token]), y.cols);
    kernels.add_row[weight_type(token_type_.dtype)](row, row_of(token_type_, batch.type_ids[token]), y.cols);
    kernels.add_row[weight_type(position_.dtype)](row, row_of(position_, batch.positions[token]), y.cols);
  }
  norm_.forward(y, execution);
}

}  // namespace bert
