#include "program/common/terminal_text.h"

#include "program/common/terminal.h"

namespace bert::common {
namespace {

struct Character {
  size_t bytes;  // 0: not UTF-8
  int width;     // -1: a control character
};

// Returns whether this is a Unicode control of text direction, which would change what is displayed.
bool changes_direction(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

// Returns the character at a position.
Character character_at(std::string_view text, size_t position) {
  if (const char byte = text[position]; byte >= ' ' && byte <= '~') return {1, 1};
  if (text[position] == '\0') return {1, -1};
  const TerminalCharacter found = terminal_character(text, position);
  return {found.bytes, changes_direction(found.code) ? -1 : found.width};
}

}  // namespace

std::string one_line(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string result;
  for (size_t i = 0; i < text.size();) {
    const Character c = character_at(text, i);
    if (c.bytes > 0 && c.width >= 0) {
      result += text.substr(i, c.bytes);
      i += c.bytes;
      continue;
    }
    for (const size_t end = i + (c.bytes == 0 ? 1 : c.bytes); i < end; ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      result += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return result;
}

std::string in_quotes(std::string_view text) { return "'" + one_line(text) + "'"; }

std::string shortened(const std::string& text) {
  constexpr size_t kMost = 500, kEnd = 200;
  if (text.size() <= kMost) return text;
  const auto inside = [&](size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };  // inside a
                                                                                                         // character
  size_t head = kMost - kEnd, tail = text.size() - kEnd;
  while (head > 0 && inside(head)) --head;
  while (tail < text.size() && inside(tail)) ++tail;
  return text.substr(0, head) + " … " + text.substr(tail);
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  for (size_t i = 0; i < text.size();) {
    const Character c = character_at(text, i);
    if (c.width > 0) width += static_cast<size_t>(c.width);
    i += c.bytes == 0 ? 1 : c.bytes;
  }
  return width;
}

}  // namespace bert::common
