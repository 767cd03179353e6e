// Caches the tokens of short chunks of text that a thread has met: for BPE words, for other models printable ASCII
// between white space. A chunk is looked up as two numbers. A thread has one cache of kBytes for all tokenizers,
// created on first use; if there is no memory, it has none. A new chunk may replace another one.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace bert {

static_assert(std::endian::native == std::endian::little);

// A chunk's bytes, followed by zeros.
struct Chunk {
  uint64_t low = 0, high = 0;
  size_t length = 0;  // 0: more than kLongest bytes

  static constexpr size_t kLongest = 16;

  // bytes: at most kLongest; the last byte is not 0.
  static Chunk of(std::string_view bytes) {
    std::array<uint64_t, 2> numbers = {};
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return {numbers[0], numbers[1], bytes.size()};
  }

  static constexpr size_t kRoom = kLongest + 1;  // bytes that read() and read_letters() read

  // Returns bytes[0] to bytes[length - 1], the last of which is not 0; bytes[kLongest - 1] must be readable. length: 1
  // to kLongest.
  [[gnu::always_inline]] static Chunk of_first(const char* bytes, size_t length) {
    Chunk chunk = {.length = length};
    std::memcpy(&chunk.low, bytes, 8);
    if (length < 8) {
      chunk.low &= (uint64_t{1} << 8 * length) - 1;
      return chunk;
    }
    std::memcpy(&chunk.high, bytes + 8, 8);
    if (length < kLongest) chunk.high &= (uint64_t{1} << 8 * (length - 8)) - 1;
    return chunk;
  }

  // Reads the ASCII letters that begin at bytes[0], or after a space there. Returns length 0 if there are none, or if a
  // byte beyond ASCII follows, which may be part of a letter.
  [[gnu::always_inline]] static Chunk read_letters(const char* bytes) {
    const bool is_spaced = bytes[0] == ' ';
    Chunk chunk;
    std::memcpy(&chunk.low, bytes, 8);
    uint64_t ends = ends_of_letters(chunk.low) & ~uint64_t{is_spaced ? 0x80u : 0u};
    if (ends != 0) {
      chunk.low &= before(ends);
      chunk.length = index(ends);
    } else {
      std::memcpy(&chunk.high, bytes + 8, 8);
      ends = ends_of_letters(chunk.high);
      if (ends != 0) chunk.high &= before(ends);
      chunk.length = ends != 0 ? 8 + index(ends) : kLongest;
    }
    const auto next = static_cast<unsigned char>(bytes[chunk.length]);
    const bool is_long = (ends_of_letters(next) & 0x80) == 0;
    if (chunk.length <= size_t{is_spaced} || is_long || next >= 0x80) chunk.length = 0;
    return chunk;
  }

  // Reads the printable ASCII characters except spaces that begin at bytes[0].
  [[gnu::always_inline]] static Chunk read(const char* bytes) {
    Chunk chunk;
    std::memcpy(&chunk.low, bytes, 8);
    if (const uint64_t ends = ends_of(chunk.low); ends != 0) {
      chunk.low &= before(ends);
      chunk.length = index(ends);
      return chunk;
    }
    std::memcpy(&chunk.high, bytes + 8, 8);
    if (const uint64_t ends = ends_of(chunk.high); ends != 0) {
      chunk.high &= before(ends);
      chunk.length = 8 + index(ends);
    } else if ((ends_of(static_cast<unsigned char>(bytes[kLongest])) & 0x80) != 0) {
      chunk.length = kLongest;
    }
    return chunk;
  }

 private:
  static constexpr uint64_t kEach = 0x0101010101010101u;
  static constexpr uint64_t kTop = 0x80 * kEach;

  // Sets the top bit of each byte that is not printable ASCII or is a space.
  static uint64_t ends_of(uint64_t bytes) {
    const uint64_t ascii = bytes & ~kTop;
    return ~((ascii + (0x80 - 0x21) * kEach) & ~(ascii + kEach) & ~bytes) & kTop;
  }
  // Sets the top bit of each byte that is not an ASCII letter.
  static uint64_t ends_of_letters(uint64_t bytes) {
    const uint64_t lower = (bytes & ~kTop) | 0x20 * kEach;
    return ~((lower + (0x80 - 'a') * kEach) & ~(lower + (0x80 - 'z' - 1) * kEach) & ~bytes) & kTop;
  }
  static uint64_t before(uint64_t ends) {
    return ((ends & (0 - ends)) >> 7) - 1;
  }  // all bits of the bytes before the
     // first end
  static size_t index(uint64_t ends) { return static_cast<size_t>(std::countr_zero(ends)) / 8; }
};

class ChunkCache {
 public:
  static constexpr size_t kMostTokens = 7;  // of a chunk in the cache
  static constexpr int32_t kIdEnd = 1 << 24;

  // A token of a chunk: its id, below kIdEnd, and the byte where it ends and the next token begins, at most kLongest.
  class Token {
   public:
    Token() = default;
    Token(int32_t id, size_t end, bool begins_word)
        : bits_(static_cast<uint32_t>(id) | static_cast<uint32_t>(end) << 24 | (begins_word ? kBeginsWord : 0)) {}
    void make_last() { bits_ |= kLast; }
    int32_t id() const { return static_cast<int32_t>(bits_ & (kIdEnd - 1)); }
    size_t end() const { return bits_ >> 24 & 31; }
    bool begins_word() const { return (bits_ & kBeginsWord) != 0; }
    bool is_last() const { return (bits_ & kLast) != 0; }

   private:
    static constexpr uint32_t kBeginsWord = 1u << 30, kLast = 1u << 31;
    uint32_t bits_ = 0;
  };
  using Tokens = std::array<Token, kMostTokens>;

  // Collects the tokens of a chunk, in order.
  class Collector {
   public:
    void add(int32_t id, size_t end, bool begins_word) {
      fit_ = fit_ && count_ < kMostTokens && id < kIdEnd;
      if (fit_) tokens_[count_++] = Token(id, end, begins_word);
    }
    // Returns nullopt if the cache cannot store them.
    std::optional<Tokens> tokens() {
      if (!fit_ || count_ == 0) return std::nullopt;
      tokens_[count_ - 1].make_last();
      return tokens_;
    }

   private:
    Tokens tokens_;
    size_t count_ = 0;
    bool fit_ = true;
  };

  static constexpr size_t kEntries = 16384;
  static constexpr size_t kBytes = kEntries * 48;

  // Returns a number that no other tokenizer has.
  static uint32_t new_owner();

  // Returns null if there is no memory.
  static ChunkCache* of_this_thread() noexcept;

  // Returns null if the chunk is not in the cache.
  const Tokens* find(const Chunk& chunk, uint32_t owner) const {
    const Entry* const pair = &entries_[first_place(chunk)];
    const Entry* const found = pair + static_cast<size_t>(pair[1].has(chunk, owner));
    return found->has(chunk, owner) ? &found->tokens : nullptr;
  }

  // Stores a chunk in place of the older one of its pair of places.
  const Tokens& keep(const Chunk& chunk, uint32_t owner, const Tokens& tokens) {
    Entry* const pair = &entries_[first_place(chunk)];
    pair[1] = pair[0];
    pair[0] = {chunk.low, chunk.high, owner, tokens};
    return pair[0].tokens;
  }

 private:
  struct Entry {
    uint64_t low = 0, high = 0;
    uint32_t owner = 0;  // number of the tokenizer; 0: no chunk
    Tokens tokens = {};

    // Written without a branch, because which place of a pair has a chunk cannot be predicted.
    bool has(const Chunk& chunk, uint32_t of) const {
      return ((low ^ chunk.low) | (high ^ chunk.high) | (owner ^ of)) == 0;
    }
  };
  static_assert(kBytes == kEntries * sizeof(Entry));

  static size_t first_place(const Chunk& chunk) {
    const uint64_t mixed = (chunk.low ^ std::rotl(chunk.high, 32)) * 0x9E3779B97F4A7C15u;
    return mixed >> (64 - std::bit_width(kEntries - 1)) & ~size_t{1};
  }

  alignas(64) Entry entries_[kEntries];
};

}  // namespace bert
