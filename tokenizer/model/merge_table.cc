#include "tokenizer/model/merge_table.h"

#include <algorithm>
#include <bit>

namespace bert {

void MergeTable::reset(size_t count) {
  merges_.assign(std::bit_ceil(std::max<size_t>(count + count / 2, 2)), Merge());
  filter_.assign(std::bit_ceil(std::max<size_t>(count / 8, 1)), 0);
}

void MergeTable::insert(int32_t left, int32_t right, int32_t rank, int32_t id) {
  const uint64_t pair = pair_of(left, right), hash = hash_of(pair);
  merges_[slot_of(pair, hash)] = {pair, rank, id};
  filter_[filter_word(hash)] |= filter_bit(hash);
}

}  // namespace bert
