#include "engine/base/quote.h"

#include "engine/base/utf8.h"

namespace bert {
namespace {

// Also true for line ends and for control characters of a line's direction, which would display other text than is
// there.
bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

void append_escaped(std::string& result, unsigned char byte) {
  constexpr char kHex[] = "0123456789abcdef";
  result += "\\x";
  result += kHex[byte >> 4];
  result += kHex[byte & 15];
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    const Utf8Char c = decode_utf8(text, i);
    const size_t bytes = c.bytes == 0 ? 1 : c.bytes;
    const bool control = is_control(c.code_point);
    for (size_t b = i; b < i + bytes; ++b) {
      if (c.bytes == 0 || control) {
        append_escaped(result, static_cast<unsigned char>(text[b]));
      } else {
        result += text[b];
      }
    }
    i += bytes;
  }
  return result;
}

std::string excerpt(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return one_line(text);
  return one_line(text.substr(0, character_start(text, max_bytes))) + "…";
}

std::string quote(std::string_view text, size_t max_bytes) { return "'" + excerpt(text, max_bytes) + "'"; }

}  // namespace bert
