#include "engine/base/utf8.h"

#include <algorithm>
#include <cstring>

namespace bert {

std::optional<size_t> find_invalid_utf8(std::string_view text) {
  const auto are_eight_ascii = [&](size_t i) {
    uint64_t eight;
    std::memcpy(&eight, text.data() + i, sizeof eight);
    return (eight & 0x8080808080808080u) == 0;
  };
  for (size_t i = 0; i < text.size();) {
    if (i + 8 <= text.size() && are_eight_ascii(i)) {
      i += 8;
      continue;
    }
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      ++i;
      continue;
    }
    const Utf8Char c = decode_utf8(text, i);
    if (c.bytes == 0) return i;
    i += c.bytes;
  }
  return std::nullopt;
}

Utf8Part utf8_part(std::string_view text, size_t position) {
  if (const size_t bytes = decode_utf8(text, position).bytes; bytes > 0) return {bytes, true};
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  const int first = byte(position), second = byte(position + 1);
  if (first < 0xE0 || first > 0xF4) return {};  // not a first byte, or one of two bytes
  const int least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const int most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (second < least || second > most) return {};
  return {.bytes = first >= 0xF0 && (byte(position + 2) & 0xC0) == 0x80 ? size_t{3} : size_t{2}};
}

size_t count_characters(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !continues_character(byte); }));
}

void append_utf8(std::string& text, char32_t c) {
  const auto add = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) {
    add(c);
  } else if (c < 0x800) {
    add(0xC0 | c >> 6);
    add(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    add(0xE0 | c >> 12);
    add(0x80 | (c >> 6 & 0x3F));
    add(0x80 | (c & 0x3F));
  } else {
    add(0xF0 | c >> 18);
    add(0x80 | (c >> 12 & 0x3F));
    add(0x80 | (c >> 6 & 0x3F));
    add(0x80 | (c & 0x3F));
  }
}

}  // namespace bert
