#include "engine/layers/embeddings.h"

#include <algorithm>

namespace bert {
namespace {

void copy_rows(const WeightView& table, std::span<const int32_t> indices, MatrixView y, Execution& execution) {
  const auto copy = execution.kernels.copy_row[weight_type(table.dtype)];
  for (size_t i = 0; i < indices.size(); ++i) copy(y.row(i), table.row(static_cast<size_t>(indices[i])), y.cols);
}

}  // namespace

void Embeddings::words(const RaggedBatch& batch, MatrixView y, Execution& execution) const {
  copy_rows(parts_.word, batch.ids, y, execution);
}

void Embeddings::token_types(const RaggedBatch& batch, MatrixView y, Execution& execution) const {
  copy_rows(*parts_.token_type, batch.type_ids, y, execution);
}

void Embeddings::positions(const RaggedBatch& batch, MatrixView y, Execution& execution) const {
  if (parts_.position) return copy_rows(*parts_.position, batch.positions, y, execution);
  for (size_t token = 0; token < batch.tokens(); ++token) {
    std::fill_n(y.row(token), y.cols, 0.0f);
    parts_.sinusoid->add_to(y.row(token), static_cast<size_t>(batch.positions[token]));
  }
}

void Embeddings::sum(const RaggedBatch& batch, MatrixView y, Execution& execution) const {
  const KernelTable& kernels = execution.kernels;
  const auto row_of = [](const WeightView& table, int32_t index) { return table.row(static_cast<size_t>(index)); };
  for (size_t token = 0; token < batch.tokens(); ++token) {
    float* row = y.row(token);
    kernels.copy_row[weight_type(parts_.word.dtype)](row, row_of(parts_.word, batch.ids[token]), y.cols);
    const auto add = [&](const std::optional<WeightView>& table, int32_t index) {
      if (table) kernels.add_row[weight_type(table->dtype)](row, row_of(*table, index), y.cols);
    };
    add(parts_.token_type, batch.type_ids[token]);
    add(parts_.position, batch.positions[token]);
    if (parts_.sinusoid) parts_.sinusoid->add_to(row, static_cast<size_t>(batch.positions[token]));
  }
}

void Embeddings::normalized(const RaggedBatch& batch, MatrixView y, Execution& execution) const {
  sum(batch, y, execution);
  parts_.norm.forward(y, execution);
}

void Embeddings::forward(const RaggedBatch& batch, MatrixView y, Execution& execution) const {
  if (!parts_.projection) return normalized(batch, y, execution);
  const MatrixView narrow = execution.workspace.wide(width());
  normalized(batch, narrow, execution);
  parts_.projection->forward(narrow, y, execution);
}

void Embeddings::position_table(MatrixView y, Execution& execution) const {
  const WeightView& table = *parts_.position;
  const auto copy = execution.kernels.copy_row[weight_type(table.dtype)];
  for (size_t i = 0; i < table.rows; ++i) copy(y.row(i), table.row(i), y.cols);
}

}  // namespace bert
