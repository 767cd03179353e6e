// The sequences of a batch in blocks of rows that a layer computes one after another, so that what it writes between
// its two ends stays in the caches. No output depends on another sequence, so blocks change no bit.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/tensor/ragged_batch.h"

namespace bert {

class SequenceBlocks {
 public:
  // Whole sequences, about `rows` rows in each block. Views of the batch, which must outlive this. rows: more than 0.
  SequenceBlocks(const RaggedBatch& batch, size_t rows);

  std::span<const RaggedBatch> all() const { return blocks_; }

 private:
  std::vector<RaggedBatch> blocks_;
  std::vector<size_t> row_starts_;  // of all blocks, each from 0
};

}  // namespace bert
