// The symbols of one word, and their merging: the pair with the lowest rank first, then the leftmost. The pairs of a
// short word are searched for each merge; a long word uses a heap, O(n log n). Reused for the next word. Used by one
// thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizer/model/merge_table.h"

namespace bert {

// The symbols of bytes, and the merge of each pair of them.
struct ByteSymbols {
  struct Pair {
    int32_t rank = -1;  // -1: the two bytes do not merge
    int32_t id = 0;
  };
  std::array<int32_t, 256> ids = {};  // -1: no symbol
  std::vector<Pair> pairs = {};       // of the bytes a and b: [256 a + b]
};

class BpeWord {
 public:
  // A word of at most this many symbols is short.
  static constexpr size_t kShort = 128;

  void clear() {
    ids_.clear();
    lengths_.clear();
  }
  // Appends a symbol of `length` bytes of the word.
  void add(int32_t id, uint32_t length) {
    ids_.push_back(id);
    lengths_.push_back(length);
  }

  // Ranks are below this number if words may count as short.
  static constexpr size_t kMostMerges = size_t{1} << 24;

  // Merges the symbols into tokens. grows: each merge makes a token that is longer than its two parts, and there are at
  // most kMostMerges merges; otherwise every word is merged by the heap, as in the reference.
  void merge(const MergeTable& merges, bool grows);

  // Sets this to the tokens of a word of bytes, each of which has a symbol.
  void merge_bytes(std::string_view word, const ByteSymbols& bytes, const MergeTable& merges, bool grows);

  size_t size() const { return ids_.size(); }
  int32_t id(size_t i) const { return ids_[i]; }
  uint32_t length(size_t i) const { return lengths_[i]; }

 private:
  // A merge that was possible when it was added.
  struct Candidate {
    int32_t rank;
    uint32_t position;  // index of the left symbol
    int32_t id;
    bool operator<(const Candidate& other) const;
  };
  struct Links {
    int32_t previous;
    int32_t next;
  };
  template <class FirstPair>
  void merge_short(const MergeTable& merges, const FirstPair& first_pair);
  void merge_long(const MergeTable& merges);
  void remove_merged();
  void consider(const MergeTable& merges, int32_t left, int32_t right);

  std::vector<int32_t> ids_;
  std::vector<uint32_t> lengths_;  // 0 during merging: merged into an earlier symbol
  // For long words.
  std::vector<Links> links_;
  std::vector<Candidate> candidates_;
};

}  // namespace bert
