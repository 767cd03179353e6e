#include "tokenizer/model/byte_level.h"

#include <array>

#include "engine/base/utf8.h"
#include "tokenizer/unicode/unicode.h"

namespace bert {
namespace {

constexpr bool stands_for_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr size_t kChars = 0x144;
struct Alphabet {
  std::array<char16_t, 256> chars{};
  std::array<int16_t, kChars> bytes{};
};
constexpr Alphabet make_alphabet() {
  Alphabet result;
  result.bytes.fill(-1);
  char16_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    result.chars[byte] = stands_for_itself(byte) ? static_cast<char16_t>(byte) : next++;
    result.bytes[result.chars[byte]] = static_cast<int16_t>(byte);
  }
  return result;
}
constexpr Alphabet kAlphabet = make_alphabet();
constexpr char32_t kSpaceChar = kAlphabet.chars[' '];

bool counts_as_space(char32_t c) { return c == kSpaceChar || unicode::is_space(c); }

}  // namespace

char32_t char_of_byte(char byte) { return kAlphabet.chars[static_cast<unsigned char>(byte)]; }

std::optional<char> byte_of_char(char32_t c) {
  if (c >= kChars || kAlphabet.bytes[c] < 0) return std::nullopt;
  return static_cast<char>(kAlphabet.bytes[c]);
}

EndSpaces end_spaces(std::string_view token) {
  EndSpaces spaces;
  const auto is_visible = [](char byte) { return byte > ' ' && byte < '\x7F'; };
  if (!token.empty() && is_visible(token.front()) && is_visible(token.back())) return spaces;
  for (size_t i = 0; i < token.size();) {
    const Utf8Char c = decode_utf8(token, i);
    if (c.bytes == 0 || !counts_as_space(c.code_point)) break;
    ++spaces.leading;
    i += c.bytes;
  }
  for (size_t end = token.size(); end > 0;) {
    const size_t begin = character_start(token, end - 1);
    if (!counts_as_space(decode_utf8(token, begin).code_point)) break;
    ++spaces.trailing;
    end = begin;
  }
  return spaces;
}

Offset trim_span(EndSpaces spaces, std::string_view text, Offset span, bool keep_first) {
  if (spaces.leading == 1 && keep_first) spaces.leading = 0;  // if there are several, none was inserted
  for (; spaces.leading > 0 && span.begin < span.end; --spaces.leading) {
    span.begin += decode_utf8(text, span.begin).bytes;
  }
  for (; spaces.trailing > 0 && span.begin < span.end; --spaces.trailing) {
    span.end = character_start(text, span.end - 1);
  }
  return span;
}

}  // namespace bert
