#include "models/text/sentences.h"

#include <algorithm>
#include <string_view>

#include "engine/base/utf8.h"
#include "tokenizer/unicode/unicode.h"

namespace bert {
namespace {

struct Character {
  char32_t code;
  size_t begin;
};

constexpr std::u32string_view kEnds = U".!?\u2026\u203C\u2047\u2048\u2049\u0964\u0965\u06D4\u061F\u0589";
constexpr std::u32string_view kWideEnds = U"\u3002\uFF01\uFF1F\uFF0E\uFF61";
constexpr std::u32string_view kClosing = U"\"')]}\u2019\u201D\u00BB\u203A\u300D\u300F\uFF09\u3011\u300B\u3009";

bool is_in(std::u32string_view set, char32_t c) { return set.find(c) != set.npos; }

// Returns whether a character may begin a sentence: a capital, a digit, a sign. Letters of scripts without case count
// as capitals.
bool may_begin(char32_t c) {
  const bool is_capital = (unicode::properties(c) & unicode::kHasLower) != 0;
  const bool is_small_ascii = c >= U'a' && c <= U'z';
  const bool is_small_latin_greek_cyrillic = c >= 0xDF && c <= 0x52F && unicode::is_letter(c);
  return is_capital || !(is_small_ascii || is_small_latin_greek_cyrillic);
}

bool ends_line(char32_t c) { return c == U'\n' || c == U'\r' || c == 0x85 || c == 0x2028 || c == 0x2029; }

}  // namespace

std::vector<Offset> sentences_of(std::string_view text) {
  std::vector<Character> characters;
  for (size_t at = 0; at < text.size();) {
    const Utf8Char decoded = decode_utf8(text, at);
    characters.push_back({decoded.code_point, at});
    at += std::max<size_t>(decoded.bytes, 1);
  }
  const auto code = [&](size_t i) { return i < characters.size() ? characters[i].code : U'\n'; };
  const auto byte = [&](size_t i) { return i < characters.size() ? characters[i].begin : text.size(); };
  std::vector<Offset> sentences;
  size_t first = 0;
  const auto cut = [&](size_t end) {
    size_t begin = first, last = end;
    while (begin < last && unicode::is_space(code(begin))) ++begin;
    while (last > begin && unicode::is_space(code(last - 1))) --last;
    if (begin < last) sentences.push_back({byte(begin), byte(last)});
    first = end;
  };
  for (size_t i = 0; i < characters.size();) {
    if (ends_line(code(i))) {
      cut(++i);
      continue;
    }
    if (!is_in(kEnds, code(i)) && !is_in(kWideEnds, code(i))) {
      ++i;
      continue;
    }
    bool is_wide = false;
    for (; i < characters.size() && (is_in(kEnds, code(i)) || is_in(kWideEnds, code(i))); ++i) {
      is_wide = is_wide || is_in(kWideEnds, code(i));
    }
    while (i < characters.size() && is_in(kClosing, code(i))) ++i;
    size_t next = i;
    while (next < characters.size() && unicode::is_space(code(next)) && !ends_line(code(next))) ++next;
    const bool is_end = is_wide || next == characters.size() || (next > i && may_begin(code(next)));
    if (is_end) cut(i);
  }
  cut(characters.size());
  return sentences;
}

}  // namespace bert
