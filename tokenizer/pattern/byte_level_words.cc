#include "tokenizer/pattern/byte_level_words.h"

#include <cstddef>
#include <cstdint>

#include "engine/base/utf8.h"
#include "tokenizer/unicode/unicode.h"

namespace bert {
namespace {

enum class Kind : uint8_t { kSpace, kLetter, kNumber, kOther };

Kind kind_of(char32_t c) {
  if (unicode::is_space(c)) return Kind::kSpace;
  if (unicode::is_letter(c)) return Kind::kLetter;
  return unicode::is_number(c) ? Kind::kNumber : Kind::kOther;
}

bool is_line_break(char32_t c) { return c == '\r' || c == '\n'; }

// The length of 's, 't, 're, 've, 'm, 'll or 'd at text[at]; 0 if there is none.
size_t contraction(std::string_view text, size_t at, size_t end) {
  if (text[at] != '\'' || at + 1 >= end) return 0;
  const char first = text[at + 1];
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  if (at + 2 >= end) return 0;
  const std::string_view two = text.substr(at + 1, 2);
  return two == "re" || two == "ve" || two == "ll" ? 3 : 0;
}

// The same in any case, and U+017F, whose capital is S.
size_t contraction_of_any_case(std::string_view text, size_t at, size_t end) {
  constexpr std::string_view kLongS = "\u017F";
  if (text[at] != '\'') return 0;
  if (text.substr(at + 1, end - at - 1).starts_with(kLongS)) return 1 + kLongS.size();
  char lower[3] = {'\''};
  size_t size = 1;
  for (; size < sizeof lower && at + size < end; ++size) {
    const char c = text[at + size];
    lower[size] = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return contraction({lower, size}, 0, size);
}

// A range of text, character by character.
class Reader {
 public:
  Reader(std::string_view text, TextRange range) : text_(text), end_(range.end) {}

  // The kind of the character at `at` and where it ends.
  struct Character {
    char32_t c;
    Kind kind;
    size_t end;
  };
  Character read(size_t at) const {
    const Utf8Char c = decode_utf8(text_, at);
    return {c.code_point, kind_of(c.code_point), at + c.bytes};
  }

  // Where a run of at most `count` characters of a kind ends.
  size_t run_end(size_t at, Kind kind, size_t count = SIZE_MAX) const {
    while (at < end_ && count-- > 0) {
      const Character next = read(at);
      if (next.kind != kind) break;
      at = next.end;
    }
    return at;
  }

  // Where the white space at `at` ends as a word: after its last line break, else before its last character if a word
  // follows.
  size_t space_end(size_t at, bool ends_at_line_breaks) const {
    size_t last = at, line_end = 0, next = at;
    while (next < end_) {
      const Character c = read(next);
      if (c.kind != Kind::kSpace) break;
      last = next;
      next = c.end;
      if (is_line_break(c.c)) line_end = next;
    }
    if (ends_at_line_breaks && line_end > 0) return line_end;
    return next < end_ && last > at ? last : next;
  }

 private:
  std::string_view text_;
  size_t end_;
};

void append_with_digits(std::string_view text, TextRange range, size_t digits, std::vector<TextRange>& words) {
  const size_t end = range.end;
  const Reader reader(text, range);
  const auto word_end = [&](size_t begin) {
    if (const size_t length = contraction_of_any_case(text, begin, end)) return begin + length;
    const Reader::Character first = reader.read(begin);
    if (first.kind == Kind::kLetter) return reader.run_end(first.end, Kind::kLetter);
    if (first.kind == Kind::kNumber) return reader.run_end(begin, Kind::kNumber, digits);
    size_t next = first.end;
    if (next < end && !is_line_break(first.c) && reader.read(next).kind == Kind::kLetter) {
      return reader.run_end(next, Kind::kLetter);
    }
    if (first.kind == Kind::kOther || (first.c == ' ' && next < end && reader.read(next).kind == Kind::kOther)) {
      next = reader.run_end(next, Kind::kOther);
      while (next < end && is_line_break(static_cast<unsigned char>(text[next]))) ++next;
      return next;
    }
    return reader.space_end(begin, true);
  };
  for (size_t begin = range.begin; begin < end; begin = words.back().end) words.push_back({begin, word_end(begin)});
}

}  // namespace

void append_gpt2_words(std::string_view text, TextRange range, std::vector<TextRange>& words) {
  const size_t end = range.end;
  const Reader reader(text, range);
  for (size_t begin = range.begin; begin < end; begin = words.back().end) {
    if (const size_t length = contraction(text, begin, end)) {
      words.push_back({begin, begin + length});
      continue;
    }
    Reader::Character c = reader.read(begin);
    if (c.c == ' ' && c.end < end) {  // a space joins the word after it
      if (const Reader::Character after = reader.read(c.end); after.kind != Kind::kSpace) c = after;
    }
    words.push_back({begin, c.kind == Kind::kSpace ? reader.space_end(begin, false) : reader.run_end(c.end, c.kind)});
  }
}

void append_llama3_words(std::string_view text, TextRange range, std::vector<TextRange>& words) {
  append_with_digits(text, range, 3, words);
}

void append_qwen2_words(std::string_view text, TextRange range, std::vector<TextRange>& words) {
  append_with_digits(text, range, 1, words);
}

bool ends_gpt2_word(char32_t before, char32_t after) {
  if (before == '\'' || after == '\'') return false;
  const Kind kind = kind_of(before);
  return kind != Kind::kSpace && kind != kind_of(after);
}

bool ends_word_with_digits(char32_t before, char32_t after) {
  if (!ends_gpt2_word(before, after) || is_line_break(after)) return false;
  return kind_of(before) != Kind::kOther || kind_of(after) != Kind::kLetter;  // a letter joins what is before it
}

void append_white_space(std::string_view text, TextRange range, std::vector<TextRange>& matches) {
  const Reader reader(text, range);
  for (size_t begin = range.begin; begin < range.end;) {
    const Reader::Character first = reader.read(begin);
    const size_t end = first.kind == Kind::kSpace ? reader.run_end(first.end, Kind::kSpace) : first.end;
    const bool is_single = end == first.end;
    const bool matches_alone = is_line_break(first.c) || first.c == '\t';
    if (first.kind == Kind::kSpace && (!is_single || matches_alone)) matches.push_back({begin, end});
    begin = end;
  }
}

}  // namespace bert
