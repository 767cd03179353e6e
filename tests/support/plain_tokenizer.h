// The oracle of the tokenizer's tests: the tokenizer written plainly from its description, on whole texts, without fast
// paths, hash tables or streams. It shares with the tokenizer only the properties of single characters
// (tokenizer/unicode/unicode.h), which other tests compare with the reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/added_tokens.h"
#include "tokenizer/normalizer/bert_normalizer.h"
#include "tokenizer/sequence_tokenizer.h"

namespace bert::test {

struct PlainTokenizer {
  std::map<std::string, int32_t> vocabulary;
  int32_t unknown_id = 0;
  size_t max_chars_per_word = 100;
  BertNormalizer normalizer;
  std::map<std::string, AddedToken> added_tokens;  // from content to token
  std::map<std::string, int32_t> added_ids;

  // Returns the tokens of valid UTF-8, split by BertPreTokenizer's rules.
  std::vector<Token> tokenize(std::string_view text, bool split_special) const;
};

}  // namespace bert::test
