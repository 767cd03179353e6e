// The pre-tokenizer of a tokenizer: steps one after the other, each of which cuts the words of the one before it
// further and may change their characters. Where it is a single PreTokenizer that parts words at spaces, the pipeline
// streams instead; this is the way for all else. Source: Hugging Face tokenizers 0.22.2, pre_tokenizers. Immutable
// after it is built; any number of threads may use one.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tokenizer/normalized_text.h"
#include "tokenizer/pre_tokenizer.h"

namespace bert {

// A normalized text and its words.
struct SplitText {
  NormalizedText text;
  std::vector<TextRange> words;
};

// Spaces become a mark that begins each word.
struct Metaspace {
  enum class Prepend : uint8_t { kNever, kFirst, kAlways };  // kFirst: where the original text begins
  char32_t mark = 0x2581;
  Prepend prepend = Prepend::kAlways;
  bool split = true;
  bool operator==(const Metaspace&) const = default;
};
void apply(const Metaspace& rules, SplitText& text);

// tokenizer/byte_level.h: its words, and a character for each byte.
struct ByteLevel {
  bool add_prefix_space = true;
  bool split = true;
  bool operator==(const ByteLevel&) const = default;
};
void apply(const ByteLevel& rules, SplitText& text);

// Numbers apart from the rest: runs of \p{N}, or each alone.
struct DigitSplit {
  bool individual = false;
  bool operator==(const DigitSplit&) const = default;
};
void apply(const DigitSplit& rules, SplitText& text);

void apply(const PreTokenizer& rules, SplitText& text);

using SplitterStep = std::variant<PreTokenizer, Metaspace, ByteLevel, DigitSplit>;

class WordSplitter {
 public:
  WordSplitter() = default;
  WordSplitter(const PreTokenizer& rules) { add(rules); }

  // A PreTokenizer joins the one before it where one pass does both.
  void add(SplitterStep step);

  const PreTokenizer* single() const;  // all that it does, where that is one pass; null where it is not
  ByteLevel* byte_level();             // the step that is one, or null
  void apply(SplitText& text) const;
  bool operator==(const WordSplitter&) const = default;

 private:
  std::vector<SplitterStep> steps_ = {PreTokenizer()};
};

}  // namespace bert
