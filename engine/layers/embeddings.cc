#include "engine/layers/embeddings.h"

namespace bert {
namespace {

void copy_rows(const WeightView& table, std::span<const int32_t> indices, MatrixView y, Execution& execution) {
  const auto copy = execution.kernels.copy_row[weight_type(table.dtype)];
  for (size_t i = 0; i < indices.size(); ++i) copy(y.row(i), table.row(static_cast<size_t>(indices[i])), y.cols);
}

}  // namespace

void Embeddings::words(const RaggedBatch& batch, MatrixView y, Execution& execution) const {
  copy_rows(word_, batch.ids, y, execution);
}

void Embeddings::token_types(const RaggedBatch& batch, MatrixView y, Execution& execution) const {
  copy_rows(token_type_, batch.type_ids, y, execution);
}

void Embeddings::positions(const RaggedBatch& batch, MatrixView y, Execution& execution) const {
  copy_rows(position_, batch.positions, y, execution);
}

void Embeddings::sum(const RaggedBatch& batch, MatrixView y, Execution& execution) const {
  const KernelTable& kernels = execution.kernels;
  const auto row_of = [](const WeightView& table, int32_t index) { return table.row(static_cast<size_t>(index)); };
  for (size_t token = 0; token < batch.tokens(); ++token) {
    float* row = y.row(token);
    kernels.copy_row[weight_type(word_.dtype)](row, row_of(word_, batch.ids[token]), y.cols);
    kernels.add_row[weight_type(token_type_.dtype)](row, row_of(token_type_, batch.type_ids[token]), y.cols);
    kernels.add_row[weight_type(position_.dtype)](row, row_of(position_, batch.positions[token]), y.cols);
  }
}

void Embeddings::forward(const RaggedBatch& batch, MatrixView y, Execution& execution) const {
  sum(batch, y, execution);
  norm_.forward(y, execution);
}

void Embeddings::position_table(MatrixView y, Execution& execution) const {
  const auto copy = execution.kernels.copy_row[weight_type(position_.dtype)];
  for (size_t i = 0; i < position_.rows; ++i) copy(y.row(i), position_.row(i), y.cols);
}

}  // namespace bert
