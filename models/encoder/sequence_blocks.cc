#include "models/encoder/sequence_blocks.h"

#include <algorithm>

namespace bert {

SequenceBlocks::SequenceBlocks(const RaggedBatch& batch, size_t rows) {
  const auto part = [](auto span, size_t first, size_t count) {
    return span.empty() ? span : span.subspan(first, count);
  };
  const std::span<const size_t> starts = batch.row_starts;
  const size_t blocks = std::max<size_t>(batch.tokens() / rows, 1);
  const size_t enough = (batch.tokens() + blocks - 1) / blocks;
  row_starts_.reserve(2 * starts.size());  // so that the blocks' spans stay valid
  for (size_t begin = 0, end = 0; begin < batch.sequences(); begin = end) {
    const size_t first_row = starts[begin];
    const size_t first_start = row_starts_.size();
    row_starts_.push_back(0);
    do {
      ++end;
      row_starts_.push_back(starts[end] - first_row);
    } while (end < batch.sequences() && starts[end] - first_row < enough);
    const size_t tokens = starts[end] - first_row;
    blocks_.push_back({.ids = batch.ids.subspan(first_row, tokens),
                       .type_ids = part(batch.type_ids, first_row, tokens),
                       .positions = part(batch.positions, first_row, tokens),
                       .row_starts = std::span(row_starts_).subspan(first_start),
                       .places = part(batch.places, first_row, tokens),
                       .key_counts = part(batch.key_counts, begin, end - begin),
                       .word_vectors = part(batch.word_vectors, first_row, tokens),
                       .global_counts = part(batch.global_counts, begin, end - begin),
                       .first_row = batch.first_row + first_row});
  }
}

}  // namespace bert
