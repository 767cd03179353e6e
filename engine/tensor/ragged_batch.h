// Concatenated sequences of different lengths, without padding. Views: the caller keeps the memory alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bert {

struct RaggedBatch {
  std::span<const int32_t> ids;          // [tokens]
  std::span<const int32_t> type_ids;     // [tokens]
  std::span<const int32_t> positions;    // [tokens]: index into the position table
  std::span<const size_t> row_starts;    // [sequences + 1]: sequence i is tokens row_starts[i] to row_starts[i + 1]
  std::span<const int32_t> places = {};  // [tokens]: index in the sequence, with masked tokens; for relative positions
  // [sequences]: this many first tokens of a sequence are keys of its attention; empty: all are.
  std::span<const size_t> key_counts = {};
  // [tokens] or empty: vectors that replace the words' vectors, as wide as the embedding; null entry: the word's
  // vector.
  std::span<const float* const> word_vectors = {};
  // [sequences]: this many first tokens of a sequence are global; empty: none is.
  std::span<const size_t> global_counts = {};
  size_t first_row = 0;  // row of the batch's first token in a matrix of the whole pass, if the batch is a block of the
                         // pass

  size_t tokens() const { return ids.size(); }
  size_t sequences() const { return row_starts.size() - 1; }
  size_t length(size_t sequence) const { return row_starts[sequence + 1] - row_starts[sequence]; }
  size_t keys(size_t sequence) const { return key_counts.empty() ? length(sequence) : key_counts[sequence]; }
};

}  // namespace bert
