// Byte-level tokenizers: the character for each byte, and token spans without leading and trailing spaces.
// Source: Radford et al. 2019 and Hugging Face tokenizers 0.22.2, pre_tokenizers/byte_level. Stateless; safe to call
// from many threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "bert/tokenizer.h"

namespace bert {

// Returns a printable character below U+0144 for each byte: ! to ~, U+00A1 to U+00AC and U+00AE to U+00FF map to
// themselves, the other bytes, in order, to U+0100 and up.
char32_t char_of_byte(char byte);
std::optional<char> byte_of_char(char32_t c);

// The numbers of white space characters at both ends of a token; a character that encodes a space counts.
struct EndSpaces {
  uint32_t leading = 0;
  uint32_t trailing = 0;
};
EndSpaces end_spaces(std::string_view token);

// Returns the span of a token in the text without these characters at its ends. keep_first: a single leading space was
// inserted, so it is not trimmed.
Offset trim_span(EndSpaces spaces, std::string_view text, Offset span, bool keep_first);

}  // namespace bert
