// A normalized text with the source of each of its bytes, and the transform that changes both. Source of the alignment
// rule: Hugging Face tokenizers 0.22.2, NormalizedString::transform. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bert/tokenizer.h"

namespace bert {

// A half-open range of bytes of a normalized text.
struct TextRange {
  size_t begin;
  size_t end;
  bool operator==(const TextRange&) const = default;
};

// The source of a byte: a character of the original text, or an empty place in it. It has five bytes, because there is
// one for each byte of a text.
#pragma pack(push, 1)
class Source {
 public:
  Source(Offset offset)
      : begin_(static_cast<uint32_t>(offset.begin)), size_(static_cast<uint8_t>(offset.end - offset.begin)) {}
  operator Offset() const { return {begin_, size_t{begin_} + size_}; }

 private:
  uint32_t begin_;
  uint8_t size_;
};
#pragma pack(pop)

// The longest original text, in bytes.
inline constexpr size_t kMaxOriginal = UINT32_MAX;

struct NormalizedText {
  std::string bytes;
  std::vector<Source> sources;  // for each byte, in the original text
  size_t begin = 0;             // where the text begins in the original

  void append(char32_t c, Offset source);
  void append(const NormalizedText& text, TextRange range);
  void put(char32_t c, uint8_t, Offset source) { append(c, source); }  // makes this a sink of BertNormalizerStream

  // Removes and returns the text before `end`.
  NormalizedText take(size_t end);

  // Returns an empty text at the same place.
  NormalizedText without_bytes() const { return {{}, {}, begin}; }

  // Returns the source of a range; for an empty range, the beginning of the next byte's source.
  Offset source(TextRange range) const;
};

// A character of the result. change 0: it replaces one old character; -n: it replaces one old character and the n after
// it; above 0: it is inserted, with the source of the previous old character, or an empty source at the beginning.
struct CharChange {
  char32_t c;
  int change;
};

// Replaces the whole text by the characters of `changes`.
void transform(NormalizedText& text, std::span<const CharChange> changes);

}  // namespace bert
