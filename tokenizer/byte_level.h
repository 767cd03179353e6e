// Byte-level tokenizers: the character for each byte, the words of the pattern
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// and token spans without leading and trailing spaces. Source: Radford et al. 2019 and Hugging Face tokenizers 0.22.2,
// pre_tokenizers/byte_level. Stateless; safe to call from many threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bert/tokenizer.h"
#include "tokenizer/normalized_text.h"

namespace bert {

// A printable character below U+0144 for each byte: ! to ~, U+00A1 to U+00AC and U+00AE to U+00FF map to themselves,
// the others, in order, from U+0100.
char32_t char_of_byte(char byte);
std::optional<char> byte_of_char(char32_t c);

// Appends the words of bytes [range.begin, range.end) of valid UTF-8 text; together they cover the range.
void append_byte_level_words(std::string_view text, TextRange range, std::vector<TextRange>& words);

// The span of a token without its leading and trailing white space. token: its characters; those that encode a space
// are white space. keep_first: a single leading space was inserted, so it is not trimmed.
Offset trim_span(std::string_view token, std::string_view text, Offset span, bool keep_first);

}  // namespace bert
