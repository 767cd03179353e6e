// Where the pre-tokenizer splits normalized text into words. Plain data, and one function of a character.
#pragma once

#include <cstdint>

#include "tokenizer/unicode/unicode.h"

namespace bert {

// BertPreTokenizer uses the first two rules, WhitespaceSplit the first, Punctuation the second, Whitespace the third.
struct BertSplitRules {
  bool split_spaces = false;         // white space ends a word and is dropped
  bool isolate_punctuation = false;  // each punctuation character is a separate word
  bool split_word_classes = false;   // runs of \w and runs of neither \w nor space: \w+|[^\w\s]+
  bool operator==(const BertSplitRules&) const = default;
};

enum class CharRole : uint8_t {
  kInWord,  // continues the word
  kSpace,   // ends the word, is dropped
  kAlone,   // a separate word
  kSymbol,  // joins neighbouring symbols to one part; only with split_word_classes
};

inline CharRole char_role(const BertSplitRules& rules, char32_t c, uint8_t properties) {
  if (properties & unicode::kSpace && (rules.split_spaces || rules.split_word_classes)) return CharRole::kSpace;
  if (properties & unicode::kPunctuation && rules.isolate_punctuation) return CharRole::kAlone;
  if (rules.split_word_classes && !unicode::is_word_character(c)) return CharRole::kSymbol;
  return CharRole::kInWord;
}

}  // namespace bert
