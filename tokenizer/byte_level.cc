#include "tokenizer/byte_level.h"

#include <array>

#include "engine/base/utf8.h"
#include "tokenizer/unicode.h"

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

enum class Kind : uint8_t { kSpace, kLetter, kNumber, kOther };

Kind kind_of(char32_t c) {
  if (unicode::is_space(c)) return Kind::kSpace;
  if (unicode::is_letter(c)) return Kind::kLetter;
  return unicode::is_number(c) ? Kind::kNumber : Kind::kOther;
}

// The length of 's, 't, 're, 've, 'm, 'll or 'd at text[at]; 0 if there is none.
size_t contraction(std::string_view text, size_t at, size_t end) {
  if (text[at] != '\'' || at + 1 >= end) return 0;
  const char first = text[at + 1];
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  if (at + 2 >= end) return 0;
  const std::string_view two = text.substr(at + 1, 2);
  return two == "re" || two == "ve" || two == "ll" ? 3 : 0;
}

bool counts_as_space(char32_t c) { return c == kSpaceChar || unicode::is_space(c); }

}  // namespace

char32_t char_of_byte(char byte) { return kAlphabet.chars[static_cast<unsigned char>(byte)]; }

std::optional<char> byte_of_char(char32_t c) {
  if (c >= kChars || kAlphabet.bytes[c] < 0) return std::nullopt;
  return static_cast<char>(kAlphabet.bytes[c]);
}

void append_byte_level_words(std::string_view text, TextRange range, std::vector<TextRange>& words) {
  const size_t end = range.end;
  const auto at = [&](size_t i) { return decode_utf8(text, i); };
  for (size_t begin = range.begin; begin < end;) {
    size_t next = begin + contraction(text, begin, end);
    if (next == begin) {
      const Utf8Char first = at(begin);
      Kind kind = kind_of(first.code_point);
      next += first.bytes;
      if (first.code_point == ' ' && next < end) {  // a space joins the word after it
        const Utf8Char second = at(next);
        if (const Kind after = kind_of(second.code_point); after != Kind::kSpace) {
          kind = after;
          next += second.bytes;
        }
      }
      size_t last = begin;  // the start of the run's last character
      while (next < end) {
        const Utf8Char c = at(next);
        if (kind_of(c.code_point) != kind) break;
        last = next;
        next += c.bytes;
      }
      // The last space before a word is left to the word.
      if (kind == Kind::kSpace && next < end && last > begin) next = last;
    }
    words.push_back({begin, next});
    begin = next;
  }
}

Offset trim_span(std::string_view token, std::string_view text, Offset span, bool keep_first) {
  size_t leading = 0, trailing = 0;
  for (size_t i = 0; i < token.size();) {
    const Utf8Char c = decode_utf8(token, i);
    if (c.bytes == 0 || !counts_as_space(c.code_point)) break;
    ++leading;
    i += c.bytes;
  }
  for (size_t end = token.size(); end > 0;) {
    const size_t begin = character_start(token, end - 1);
    if (!counts_as_space(decode_utf8(token, begin).code_point)) break;
    ++trailing;
    end = begin;
  }
  if (leading == 1 && keep_first) leading = 0;  // if several, none was added
  for (; leading > 0 && span.begin < span.end; --leading) span.begin += decode_utf8(text, span.begin).bytes;
  for (; trailing > 0 && span.begin < span.end; --trailing) span.end = character_start(text, span.end - 1);
  return span;
}

}  // namespace bert
