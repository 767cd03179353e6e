// The merges of a BPE model, by their two tokens: a hash table with open addressing. Most pairs do not merge; a filter
// with a few bits per merge, which fits into a core's cache, answers for most of them. Any number of threads may read a
// complete table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bert {

class MergeTable {
 public:
  struct Merge {
    uint64_t pair = UINT64_MAX;  // the left token and the right token; no pair has the default
    int32_t rank = 0;            // merges with lower ranks come first
    int32_t id = 0;              // id of the merged token
  };

  // Makes room for `count` merges; the table is empty afterwards.
  void reset(size_t count);

  // Inserts a merge; the last of two merges of the same tokens wins.
  void insert(int32_t left, int32_t right, int32_t rank, int32_t id);

  // Returns null if the two tokens do not merge.
  const Merge* find(int32_t left, int32_t right) const {
    const uint64_t pair = pair_of(left, right), hash = hash_of(pair);
    if ((filter_[filter_word(hash)] & filter_bit(hash)) == 0) return nullptr;
    const Merge& merge = merges_[slot_of(pair, hash)];
    return merge.pair == UINT64_MAX ? nullptr : &merge;
  }

 private:
  static uint64_t pair_of(int32_t left, int32_t right) {
    return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
  }
  static uint64_t hash_of(uint64_t pair) {
    uint64_t hash = pair * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
    return hash * 0xD6E8FEB86659FD93u;
  }
  // Returns the index of the pair, or of the slot for it.
  size_t slot_of(uint64_t pair, uint64_t hash) const {
    const size_t mask = merges_.size() - 1;
    size_t slot = hash & mask;
    while (merges_[slot].pair != pair && merges_[slot].pair != UINT64_MAX) slot = (slot + 1) & mask;
    return slot;
  }
  // The filter uses bits of the hash that the slot does not use.
  size_t filter_word(uint64_t hash) const { return (hash >> 40) & (filter_.size() - 1); }
  static uint64_t filter_bit(uint64_t hash) { return uint64_t{1} << (hash >> 34 & 63); }

  std::vector<Merge> merges_ = std::vector<Merge>(2);
  std::vector<uint64_t> filter_ = std::vector<uint64_t>(1);
};

}  // namespace bert
