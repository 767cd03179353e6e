// The lengths of the tokens that begin with given bytes; it avoids most look-ups of a substring search. Any number of
// threads may read a complete table.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bert {

// Indexed by the first kPrefix bytes, in a table of kBuckets; tokens whose prefixes share a bucket share their lengths.
template <size_t kPrefix, size_t kBuckets>
class TokenLengths {
 public:
  // Lengths of kLong and more share one bit.
  static constexpr size_t kLong = 64;

  // Tokens shorter than the prefix always count as possible.
  void add(std::string_view token) {
    if (token.size() < kPrefix) return;
    lengths_[bucket(token.data())] |= uint64_t{1} << (std::min(token.size(), kLong) - 1);
  }

  // Returns the possible lengths. Bit i: a token of i + 1 bytes may begin the text; bit kLong - 1: one of kLong bytes
  // or more.
  uint64_t possible(const char* text, size_t size) const {
    return size >= kPrefix ? lengths_[bucket(text)] | kShort : kShort;
  }

  void prefetch(const char* text, size_t size) const {
    if (size >= kPrefix) __builtin_prefetch(&lengths_[bucket(text)]);
  }

 private:
  static_assert(kPrefix > 0 && kPrefix <= 8 && std::has_single_bit(kBuckets));
  static constexpr uint64_t kShort = (uint64_t{1} << (kPrefix - 1)) - 1;

  static size_t bucket(const char* text) {
    uint64_t key = 0;
    for (size_t i = 0; i < kPrefix; ++i) key = key << 8 | static_cast<unsigned char>(text[i]);
    return key * 0x9E3779B97F4A7C15u >> (64 - std::countr_zero(kBuckets));
  }

  std::array<uint64_t, kBuckets> lengths_{};
};

}  // namespace bert
