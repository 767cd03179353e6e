#include "engine/layers/embeddings.h"

#include <algorithm>
#include <array>

#include "engine/layers/convolution.h"

namespace bert {
namespace {

void copy_rows(const WeightView& table, std::span<const int32_t> indices, MatrixView y, ExecutionContext& context) {
  context.pool.run_rows(indices.size(), [&](size_t first, size_t rows) {
    for (size_t i = first; i < first + rows; ++i) {
      context.kernels.copy_row(y.row(i), table.row(static_cast<size_t>(indices[i])), y.cols);
    }
  });
}

}  // namespace

std::vector<float> Embeddings::word_scales(const RaggedBatch& batch) const {
  std::vector<float> scales;
  if (!dropped_word) return scales;
  scales.resize(batch.tokens());
  for (size_t i = 0; i < batch.sequences(); ++i) {
    const std::span<const int32_t> ids = batch.ids.subspan(batch.row_starts[i], batch.length(i));
    const auto dropped = static_cast<double>(std::count(ids.begin(), ids.end(), *dropped_word));
    const double kept = 1 - dropped / static_cast<double>(batch.keys(i));
    for (size_t j = 0; j < ids.size(); ++j) {
      const bool is_dropped = ids[j] == *dropped_word;
      scales[batch.row_starts[i] + j] = is_dropped ? 0.0f : static_cast<float>(scale * kTrainedShare / kept);
    }
  }
  return scales;
}

void Embeddings::words(const RaggedBatch& batch, MatrixView y, ExecutionContext& context) const {
  const std::vector<float> scales = word_scales(batch);
  const size_t inputs = word_projection ? word_projection->parts.front().weight.cols : word.cols;
  const MatrixView x = word_projection ? context.workspace.wide(inputs).row_range(0, batch.tokens()) : y;
  context.pool.run_rows(batch.tokens(), [&](size_t first, size_t rows) {
    std::array<size_t, 3> places{};
    const std::span<size_t> read = std::span(places).first(inputs / word.cols);
    for (size_t token = first; token < first + rows; ++token) {
      if (read.size() == 1) {
        copy_word(batch, token, scales, x.row(token), context.kernels);
        continue;
      }
      find_neighbours(batch, token, read.size() / 2, read);
      for (size_t i = 0; i < read.size(); ++i) {
        const size_t row = read[read.size() - 1 - i];
        float* to = x.row(token) + i * word.cols;
        if (row == kNoRow) {
          std::fill_n(to, word.cols, 0.0f);
        } else {
          copy_word(batch, row, scales, to, context.kernels);
        }
      }
    }
  });
  if (word_projection) word_projection->forward(x, y, context);
}

void Embeddings::copy_word(const RaggedBatch& batch, size_t token, std::span<const float> scales, float* row,
                           const KernelTable& kernels) const {
  if (!batch.word_vectors.empty() && batch.word_vectors[token] != nullptr) {
    std::copy_n(batch.word_vectors[token], word.cols, row);
    return;
  }
  kernels.copy_row(row, word.row(static_cast<size_t>(batch.ids[token])), word.cols);
  const float factor = scales.empty() ? scale : scales[token];
  if (factor == 1) return;
  for (size_t i = 0; i < word.cols; ++i) row[i] *= factor;
}

void Embeddings::token_types(const RaggedBatch& batch, MatrixView y, ExecutionContext& context) const {
  copy_rows(*token_type, batch.type_ids, y, context);
}

void Embeddings::positions(const RaggedBatch& batch, MatrixView y, ExecutionContext& context) const {
  if (position) return copy_rows(*position, batch.positions, y, context);
  for (size_t token = 0; token < batch.tokens(); ++token) {
    std::fill_n(y.row(token), y.cols, 0.0f);
    sinusoid->add_to(y.row(token), static_cast<size_t>(batch.positions[token]));
  }
}

void Embeddings::sum(const RaggedBatch& batch, MatrixView y, ExecutionContext& context) const {
  const KernelTable& kernels = context.kernels;
  const auto row_of = [](const WeightView& table, int32_t index) { return table.row(static_cast<size_t>(index)); };
  const std::vector<float> scales = word_projection ? std::vector<float>() : word_scales(batch);
  if (word_projection) words(batch, y, context);
  context.pool.run_rows(batch.tokens(), [&](size_t first, size_t rows) {
    for (size_t token = first; token < first + rows; ++token) {
      float* row = y.row(token);
      if (!word_projection) copy_word(batch, token, scales, row, kernels);
      if (token_type) kernels.add_row(row, row_of(*token_type, batch.type_ids[token]), y.cols);
      add_position(static_cast<size_t>(batch.positions[token]), row, kernels);
    }
  });
}

void Embeddings::add_position(size_t place, float* row, const KernelTable& kernels) const {
  if (position) kernels.add_row(row, position->row(place), position->cols);
  if (sinusoid) sinusoid->add_to(row, place);
}

void Embeddings::add_positions(const RaggedBatch& batch, MatrixView y, ExecutionContext& context) const {
  context.pool.run_rows(batch.tokens(), [&](size_t first, size_t rows) {
    for (size_t token = first; token < first + rows; ++token) {
      add_position(static_cast<size_t>(batch.positions[token]), y.row(token), context.kernels);
    }
  });
}

void Embeddings::normalized(const RaggedBatch& batch, MatrixView y, ExecutionContext& context) const {
  sum(batch, y, context);
  if (norm) norm->forward(y, y, context);
}

void Embeddings::forward(const RaggedBatch& batch, MatrixView y, ExecutionContext& context) const {
  if (!projection) return normalized(batch, y, context);
  const MatrixView narrow = context.workspace.wide(width());
  normalized(batch, narrow, context);
  projection->forward(narrow, y, context);
}

void copy_table(const WeightView& table, MatrixView y, ExecutionContext& context) {
  for (size_t i = 0; i < table.rows; ++i) context.kernels.copy_row(y.row(i), table.row(i), y.cols);
}

}  // namespace bert
