// Byte-level tokenizers: the character that stands for each byte, the words of the pattern
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// and the spans of tokens without the spaces that they begin or end with. Source: Radford et al. 2019 and Hugging Face
// tokenizers 0.22.2, pre_tokenizers/byte_level. Stateless; safe to call from many threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bert/tokenizer.h"
#include "tokenizer/normalized_text.h"

namespace bert {

// A printable character below U+0144 for each byte: ! to ~, U+00A1 to U+00AC and U+00AE to U+00FF for themselves, the
// others, in order, from U+0100.
char32_t char_of_byte(char byte);
std::optional<char> byte_of_char(char32_t c);

// Appends the words of bytes [range.begin, range.end) of a text that is valid UTF-8; together they are all of it.
void append_byte_level_words(std::string_view text, TextRange range, std::vector<TextRange>& words);

// The span of a token without the white space that the token begins and ends with. token: its characters, of which
// those that stand for a space are white space. keep_first: a single one at the beginning was put in, so it stays.
Offset trim_span(std::string_view token, std::string_view text, Offset span, bool keep_first);

}  // namespace bert
