// A hash table from strings to ids that can look up a substring by its hash, computed from the text's running hashes.
// Open addressing over 16-byte slots; the strings are in an arena that the owner keeps alive and does not move. Any
// number of threads may read a complete table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace bert {

// The hash is a polynomial over the bytes modulo 2^64: hash(xy) = hash(x) * kHashBase^|y| + hash(y). So the hash of
// every substring follows from the hashes of two prefixes by one multiplication.
inline constexpr uint64_t kHashBase = 0x9E3779B97F4A7C15u;
inline uint64_t extend_hash(uint64_t hash, char byte) { return hash * kHashBase + static_cast<unsigned char>(byte); }
// Returns hash(y), given before = hash(x), through = hash(xy) and power = kHashBase^|y|.
inline uint64_t hash_behind(uint64_t before, uint64_t through, uint64_t power) { return through - before * power; }
inline uint64_t hash_string(std::string_view text) {
  uint64_t hash = 0;
  for (const char byte : text) hash = extend_hash(hash, byte);
  return hash;
}

class StringTable {
 public:
  static constexpr int32_t kAbsent = -1;

  // Makes room for `count` strings; the table is empty afterwards.
  void reset(size_t count);

  // Maps text to id; returns the previous id, or kAbsent.
  int32_t insert(std::string_view text, int32_t id);

  // Returns the id of a string, or kAbsent. hash: hash_string of the bytes.
  int32_t find(const char* bytes, size_t length, uint64_t hash) const {
    const uint64_t mixed = mix(hash);
    for (size_t i = mixed >> shift_;; i = (i + 1) & mask_) {
      const Slot& slot = slots_[i];
      if (slot.bytes == nullptr) return kAbsent;
      if (slot.tag == static_cast<uint16_t>(mixed) && slot.length == static_cast<uint16_t>(length) &&
          equal(slot.bytes, bytes, length)) {
        return slot.id;
      }
    }
  }
  int32_t find(std::string_view text) const {
    return text.size() > kMaxLength ? kAbsent : find(text.data(), text.size(), hash_string(text));
  }

  void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[mix(hash) >> shift_]); }

  static constexpr size_t kMaxLength =
      UINT16_MAX;  // of a string in the table; find() must not be called with longer strings
  size_t longest() const { return longest_; }
  size_t size() const { return size_; }

 private:
  struct Slot {
    const char* bytes = nullptr;
    int32_t id = 0;
    uint16_t tag = 0;
    uint16_t length = 0;
  };
  template <class Word>
  static bool equal_words(const char* a, const char* b) {
    Word word_a, word_b;
    std::memcpy(&word_a, a, sizeof(Word));
    std::memcpy(&word_b, b, sizeof(Word));
    return word_a == word_b;
  }
  // memcmp, inlined because most strings are short.
  static bool equal(const char* a, const char* b, size_t length) {
    if (length < 4) {  // first, middle and last cover all the bytes
      return length == 0 || ((a[0] ^ b[0]) | (a[length / 2] ^ b[length / 2]) | (a[length - 1] ^ b[length - 1])) == 0;
    }
    if (length < 8) return equal_words<uint32_t>(a, b) && equal_words<uint32_t>(a + length - 4, b + length - 4);
    for (size_t i = 0; i + 8 < length; i += 8) {
      if (!equal_words<uint64_t>(a + i, b + i)) return false;
    }
    return equal_words<uint64_t>(a + length - 8, b + length - 8);
  }
  static uint64_t mix(uint64_t hash) {
    hash ^= hash >> 32;
    return hash * 0xD6E8FEB86659FD93u;
  }

  std::vector<Slot> slots_ = std::vector<Slot>(2);
  unsigned shift_ = 63;
  size_t mask_ = 1;
  size_t size_ = 0;
  size_t longest_ = 0;
};

}  // namespace bert
