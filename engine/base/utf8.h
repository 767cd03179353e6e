// UTF-8: strict decoding (no overlong forms, surrogates or values above U+10FFFF), and encoding.
// Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bert {

inline constexpr std::string_view kReplacementText = "\xEF\xBF\xBD";  // U+FFFD

// Returns whether the byte is a continuation byte.
inline bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Returns the first byte of the character that contains byte `at`; text.size() returns itself. at <= text.size().
inline size_t character_start(std::string_view text, size_t at) {
  while (at > 0 && at < text.size() && continues_character(text[at])) --at;
  return at;
}

size_t count_characters(std::string_view text);  // for valid UTF-8

struct Utf8Char {
  char32_t code_point;
  size_t bytes;  // 1 to 4; 0: invalid UTF-8
};

// Returns the character at text[position]; position < text.size().
inline Utf8Char decode_utf8(std::string_view text, size_t position) {
  const auto byte = [&](size_t i) -> uint32_t {
    return position + i < text.size() ? static_cast<unsigned char>(text[position + i]) : 0;
  };
  const auto tail = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first >= 0xC2 && first < 0xE0 && tail(1)) return {(first & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  if ((first & 0xF0) == 0xE0 && tail(1) && tail(2)) {
    const char32_t c = (first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    if (c >= 0x800 && (c < 0xD800 || c > 0xDFFF)) return {c, 3};
  }
  if ((first & 0xF8) == 0xF0 && tail(1) && tail(2) && tail(3)) {
    const char32_t c = (first & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    if (c >= 0x10000 && c <= 0x10FFFF) return {c, 4};
  }
  return {0, 0};
}

struct Utf8Part {
  size_t bytes = 1;
  bool is_character = false;
};
// Returns the size of the character at text[position], or of the longest beginning of a character if it is invalid.
// Source: The Unicode Standard, table 3-7 and section 3.9, "U+FFFD Substitution of Maximal Subparts".
Utf8Part utf8_part(std::string_view text, size_t position);

// Returns the position of the first invalid byte, if any.
std::optional<size_t> find_invalid_utf8(std::string_view text);

void append_utf8(std::string& text, char32_t code_point);

}  // namespace bert
