#include "tokenizer/pattern/byte_level_words.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/utf8.h"
#include "tokenizer/unicode/unicode.h"

namespace bert {
namespace {

enum class Kind : uint8_t { kSpace, kLetter, kNumber, kOther };

// The kind of each character, in blocks of kBlock characters; equal blocks are shared.
class Kinds {
 public:
  static const Kinds& all() {
    static const Kinds kinds;
    return kinds;
  }

  Kind of(char32_t c) const { return kinds_[blocks_[c / kBlock] * kBlock + c % kBlock]; }

 private:
  static constexpr size_t kBlock = 256, kCharacters = 0x110000;
  static constexpr char32_t kLastSpace = 0x3000;

  Kinds() {
    for (const Kind kind : {Kind::kSpace, Kind::kLetter, Kind::kNumber, Kind::kOther}) {
      kinds_.insert(kinds_.end(), kBlock, kind);
    }
    blocks_.fill(shared_block(Kind::kOther));
    set(unicode::letter_ranges(), Kind::kLetter);
    set(unicode::number_ranges(), Kind::kNumber);
    for (char32_t c = 0; c <= kLastSpace; ++c) {
      if (unicode::is_space(c)) set(c, c, Kind::kSpace);
    }
  }

  static constexpr uint16_t shared_block(Kind kind) { return static_cast<uint16_t>(kind); }
  void set(std::span<const CodePointRange> ranges, Kind kind) {
    for (const CodePointRange& range : ranges) set(range.first, range.last, kind);
  }
  void set(char32_t first, char32_t last, Kind kind) {
    for (size_t c = first; c <= last;) {
      uint16_t& block = blocks_[c / kBlock];
      const size_t end = std::min<size_t>(last + 1, (c / kBlock + 1) * kBlock);
      if (end - c == kBlock) {
        block = shared_block(kind);
      } else {
        if (block <= shared_block(Kind::kOther)) {
          const Kind before = kinds_[block * kBlock];
          block = static_cast<uint16_t>(kinds_.size() / kBlock);
          kinds_.insert(kinds_.end(), kBlock, before);
        }
        std::fill_n(&kinds_[block * kBlock + c % kBlock], end - c, kind);
      }
      c = end;
    }
  }

  std::array<uint16_t, kCharacters / kBlock> blocks_;
  std::vector<Kind> kinds_;
};

Kind kind_of(char32_t c) { return Kinds::all().of(c); }

constexpr std::array<Kind, 128> kAscii = [] {
  std::array<Kind, 128> kinds{};
  for (unsigned c = 0; c < kinds.size(); ++c) {
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    const bool letter = (c | 32) - 'a' < 26;
    kinds[c] = space ? Kind::kSpace : letter ? Kind::kLetter : c - '0' < 10 ? Kind::kNumber : Kind::kOther;
  }
  return kinds;
}();

bool is_line_break(char32_t c) { return c == '\r' || c == '\n'; }

// Returns the length of 's, 't, 're, 've, 'm, 'll or 'd at text[at]; 0 if there is none.
size_t contraction(std::string_view text, size_t at, size_t end) {
  if (text[at] != '\'' || at + 1 >= end) return 0;
  const char first = text[at + 1];
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  if (at + 2 >= end) return 0;
  const std::string_view two = text.substr(at + 1, 2);
  return two == "re" || two == "ve" || two == "ll" ? 3 : 0;
}

// As contraction(), in upper or lower case; U+017F counts as s.
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

// Reads a text character by character.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  // The character at `at`, its kind and its end.
  struct Character {
    char32_t c;
    Kind kind;
    size_t end;
  };
  Character read(size_t at) const {
    const auto byte = [&](size_t i) -> char32_t { return static_cast<unsigned char>(text_[at + i]); };
    const char32_t first = byte(0);
    if (first < 0x80) return {first, kAscii[first], at + 1};
    const auto of = [&](char32_t c, size_t bytes) { return Character{c, kinds_.of(c), at + bytes}; };
    if (first < 0xE0) return of((first & 0x1F) << 6 | (byte(1) & 0x3F), 2);
    if (first < 0xF0) return of((first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3);
    return of((first & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F), 4);
  }

  size_t end() const { return text_.size(); }

  // Returns the end of a run of at most `count` characters of a kind.
  size_t run_end(size_t at, Kind kind, size_t count = SIZE_MAX) const {
    while (at < end() && count-- > 0) {
      const Character next = read(at);
      if (next.kind != kind) break;
      at = next.end;
    }
    return at;
  }

  // Returns the end of the word of white space at `at`: after its last line break, else before its last character if a
  // word follows.
  size_t space_end(size_t at, bool ends_at_line_breaks) const {
    size_t last = at, line_end = 0, next = at;
    while (next < end()) {
      const Character c = read(next);
      if (c.kind != Kind::kSpace) break;
      last = next;
      next = c.end;
      if (is_line_break(c.c)) line_end = next;
    }
    if (ends_at_line_breaks && line_end > 0) return line_end;
    return next < end() && last > at ? last : next;
  }

 private:
  std::string_view text_;
  const Kinds& kinds_ = Kinds::all();
};

size_t word_end_with_digits(std::string_view text, size_t begin, size_t digits) {
  const Reader reader(text);
  const size_t end = text.size();
  if (const size_t length = contraction_of_any_case(text, begin, end)) return begin + length;
  const Reader::Character first = reader.read(begin);
  if (first.kind == Kind::kLetter) return reader.run_end(first.end, Kind::kLetter);
  if (first.kind == Kind::kNumber) return reader.run_end(begin, Kind::kNumber, digits);
  size_t next = first.end;
  if (next < end && !is_line_break(first.c)) {
    if (const Reader::Character second = reader.read(next); second.kind == Kind::kLetter) {
      return reader.run_end(second.end, Kind::kLetter);
    }
  }
  if (first.kind == Kind::kOther || (first.c == ' ' && next < end && reader.read(next).kind == Kind::kOther)) {
    next = reader.run_end(next, Kind::kOther);
    while (next < end && is_line_break(static_cast<unsigned char>(text[next]))) ++next;
    return next;
  }
  return reader.space_end(begin, true);
}

template <WordEnd kWordEnd>
void append_words(std::string_view text, TextRange range, std::vector<TextRange>& words) {
  text = text.substr(0, range.end);
  for (size_t begin = range.begin; begin < range.end; begin = words.back().end) {
    words.push_back({begin, kWordEnd(text, begin)});
  }
}

}  // namespace

size_t gpt2_word_end(std::string_view text, size_t begin) {
  if (const size_t length = contraction(text, begin, text.size())) return begin + length;
  const Reader reader(text);
  Reader::Character c = reader.read(begin);
  if (c.c == ' ' && c.end < text.size()) {  // a space belongs to the word after it
    if (const Reader::Character after = reader.read(c.end); after.kind != Kind::kSpace) c = after;
  }
  return c.kind == Kind::kSpace ? reader.space_end(begin, false) : reader.run_end(c.end, c.kind);
}

size_t llama3_word_end(std::string_view text, size_t begin) { return word_end_with_digits(text, begin, 3); }

size_t qwen2_word_end(std::string_view text, size_t begin) { return word_end_with_digits(text, begin, 1); }

void append_gpt2_words(std::string_view text, TextRange range, std::vector<TextRange>& words) {
  append_words<gpt2_word_end>(text, range, words);
}

void append_llama3_words(std::string_view text, TextRange range, std::vector<TextRange>& words) {
  append_words<llama3_word_end>(text, range, words);
}

void append_qwen2_words(std::string_view text, TextRange range, std::vector<TextRange>& words) {
  append_words<qwen2_word_end>(text, range, words);
}

bool ends_gpt2_word(char32_t before, char32_t after) {
  if (before == '\'' || after == '\'') return false;
  const Kind kind = kind_of(before);
  return kind != Kind::kSpace && kind != kind_of(after);
}

bool ends_word_with_digits(char32_t before, char32_t after) {
  if (!ends_gpt2_word(before, after) || is_line_break(after)) return false;
  return kind_of(before) != Kind::kOther || kind_of(after) != Kind::kLetter;  // a letter joins the symbol before it
}

void append_white_space(std::string_view text, TextRange range, std::vector<TextRange>& matches) {
  const Reader reader(text.substr(0, range.end));
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
