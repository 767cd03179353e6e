// Divides the sequences of a batch into blocks of rows that a layer computes one after another, so that its
// intermediate results stay in the caches. No output depends on another sequence, so blocks change no bit.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/tensor/ragged_batch.h"

namespace bert {

class SequenceBlocks {
 public:
  // Blocks consist of whole sequences with about `rows` rows; rows > 0. Views of the batch, which must outlive this
  // object.
  SequenceBlocks(const RaggedBatch& batch, size_t rows);

  std::span<const RaggedBatch> all() const { return blocks_; }

 private:
  std::vector<RaggedBatch> blocks_;
  std::vector<size_t> row_starts_;  // of all blocks; each block's begin at 0
};

}  // namespace bert
