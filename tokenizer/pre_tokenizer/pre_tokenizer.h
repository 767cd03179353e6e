// The pre-tokenizer of a tokenizer: a list of steps. Each step splits the words of the previous step further and may
// change their characters. If the only step is BertSplitRules that split at spaces, WordPiecePass streams instead.
// Source: Hugging Face tokenizers 0.22.2, pre_tokenizers. Immutable after it is built; any number of threads may use
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "tokenizer/normalizer/normalized_text.h"
#include "tokenizer/pattern/pattern.h"
#include "tokenizer/pre_tokenizer/bert_split_rules.h"

namespace bert {

// A normalized text and its words.
struct SplitText {
  NormalizedText text;
  std::vector<TextRange> words;
};

// Replaces spaces by a mark that begins each word.
struct Metaspace {
  enum class Prepend : uint8_t { kNever, kFirst, kAlways };  // kFirst: at the beginning of the original text
  char32_t mark = 0x2581;
  Prepend prepend = Prepend::kAlways;
  bool split = true;
  bool operator==(const Metaspace&) const = default;
};
void apply(const Metaspace& rules, SplitText& text);

// Splits into the words of tokenizer/model/byte_level.h, and maps each byte to a character.
struct ByteLevel {
  bool add_prefix_space = true;
  bool split = true;
  bool operator==(const ByteLevel&) const = default;
};
void apply(const ByteLevel& rules, SplitText& text);

// Splits off numbers: runs of \p{N}, or each character.
struct DigitSplit {
  bool individual = false;
  bool operator==(const DigitSplit&) const = default;
};
void apply(const DigitSplit& rules, SplitText& text);

// What happens to the matching parts.
enum class SplitBehavior : uint8_t { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };

struct PatternSplit {
  Pattern pattern;
  SplitBehavior behavior = SplitBehavior::kIsolated;
  bool invert = false;  // parts that do not match count as matches
  bool operator==(const PatternSplit&) const = default;
};
void apply(const PatternSplit& rules, SplitText& text);

// Matches each punctuation character.
struct PunctuationSplit {
  SplitBehavior behavior = SplitBehavior::kIsolated;
  bool operator==(const PunctuationSplit&) const = default;
};
void apply(const PunctuationSplit& rules, SplitText& text);

// Ends a word where another script begins. Characters without a script belong to the word before them, and are dropped
// if there is none.
struct ScriptSplit {
  bool operator==(const ScriptSplit&) const = default;
};
void apply(const ScriptSplit&, SplitText& text);

// Splits into words of this many characters; the last one may be shorter.
struct FixedLengthSplit {
  size_t characters = 5;  // at least 1
  bool operator==(const FixedLengthSplit&) const = default;
};
void apply(const FixedLengthSplit& rules, SplitText& text);

void apply(const BertSplitRules& rules, SplitText& text);

using PreTokenizerStep = std::variant<BertSplitRules, Metaspace, ByteLevel, DigitSplit, PatternSplit, PunctuationSplit,
                                      ScriptSplit, FixedLengthSplit>;

class PreTokenizer {
 public:
  PreTokenizer() = default;
  PreTokenizer(const BertSplitRules& rules) { add(rules); }

  // Adds a step. BertSplitRules are joined with those before them if one pass can do both.
  void add(PreTokenizerStep step);

  const BertSplitRules* single() const;  // the only step if it is BertSplitRules, else null
  ByteLevel* byte_level();               // the ByteLevel step, or null
  const std::vector<PreTokenizerStep>& steps() const { return steps_; }
  void apply(SplitText& text) const;

  // Returns whether a text may be cut between two neighbouring characters: whatever surrounds them, they are in
  // different words, and both parts together have the words of the whole text.
  bool may_cut(char32_t before, char32_t after) const;

  bool operator==(const PreTokenizer&) const = default;

 private:
  std::vector<PreTokenizerStep> steps_ = {BertSplitRules()};
};

}  // namespace bert
