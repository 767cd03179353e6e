#include "tokenizer/pre_tokenizer/words.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "bert/error.h"
#include "engine/base/utf8.h"
#include "tokenizer/unicode/unicode.h"

namespace bert {
namespace {

bool is_in(char32_t c, std::span<const std::pair<char32_t, char32_t>> ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const auto& range) { return c - range.first <= range.second - range.first; });
}

// \w of Python's regular expressions, which does not include marks.
bool is_python_word(char32_t c) { return c == '_' || unicode::is_letter(c) || unicode::is_number(c); }

// W: the tables' word characters also include circled letters and joining punctuation.
bool is_text_word(char32_t c) {
  if (c < 0x80 || is_python_word(c)) return is_python_word(c);
  constexpr std::array<std::pair<char32_t, char32_t>, 9> kOthers = {{{0x203F, 0x2040},
                                                                     {0x2054, 0x2054},
                                                                     {0x24B6, 0x24E9},
                                                                     {0xFE33, 0xFE34},
                                                                     {0xFE4D, 0xFE4F},
                                                                     {0xFF3F, 0xFF3F},
                                                                     {0x1F130, 0x1F149},
                                                                     {0x1F150, 0x1F169},
                                                                     {0x1F170, 0x1F189}}};
  return unicode::is_word_character(c) && !is_in(c, kOthers);
}

// [a-z] in upper or lower case: four letters beyond ASCII have an ASCII letter as their other case.
bool is_latin(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == 0x130 || c == 0x131 || c == 0x17F || c == 0x212A;
}
bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_mailbox(char32_t c) {
  return is_latin(c) || is_digit(c) || c == '.' || c == '_' || c == '%' || c == '+' || c == '-';
}
bool is_domain(char32_t c) { return is_latin(c) || is_digit(c) || c == '.' || c == '-'; }

class WordScanner {
 public:
  explicit WordScanner(std::string_view text) : text_(text) {}

  // Returns the end of the word at `at`, which is not white space.
  size_t end_of_word(size_t at) {
    if (const size_t end = end_of_link(at); end != 0) return end;
    if (const size_t end = end_of_mail(at); end != 0) return end;
    const Utf8Char first = decode_utf8(text_, at);
    if (first.code_point == '@') {
      const size_t end = run(at + 1, [](char32_t c) { return is_latin(c) || is_digit(c) || c == '_'; });
      if (end != at + 1) return end;
    }
    size_t end = run(at, is_text_word);
    if (end == at) return at + first.bytes;
    while (end < text_.size() && text_[end] == '-') {
      const size_t next = run(end + 1, is_text_word);
      if (next == end + 1) break;
      end = next;
    }
    return end;
  }

 private:
  template <class Is>
  size_t run(size_t at, const Is& is) const {
    while (at < text_.size()) {
      const Utf8Char c = decode_utf8(text_, at);
      if (!is(c.code_point)) break;
      at += c.bytes;
    }
    return at;
  }

  // Returns the place after the letters, in upper or lower case; 0: the letters are not there.
  size_t after(size_t at, std::string_view letters) const {
    for (const char letter : letters) {
      if (at >= text_.size()) return 0;
      const Utf8Char c = decode_utf8(text_, at);
      const bool is_upper = letter >= 'a' && letter <= 'z' && c.code_point == static_cast<char32_t>(letter - 32);
      const bool is_long_s = letter == 's' && c.code_point == 0x17F;
      if (c.code_point != static_cast<char32_t>(letter) && !is_upper && !is_long_s) return 0;
      at += c.bytes;
    }
    return at;
  }

  size_t end_of_link(size_t at) const {
    for (const char* beginning : {"https://", "http://", "www."}) {
      const size_t begin = after(at, beginning);
      if (begin == 0) continue;
      const size_t end = run(begin, [](char32_t c) { return !is_python_space(c); });
      if (end != begin) return end;
    }
    return 0;
  }

  // Caches the end: all places in one run of a mailbox's characters have the same end.
  size_t end_of_mail(size_t at) {
    if (at >= mailbox_end_) {
      mailbox_end_ = run(at, is_mailbox);
      mail_end_ = 0;
      if (mailbox_end_ < text_.size() && text_[mailbox_end_] == '@') mail_end_ = end_of_domain(mailbox_end_ + 1);
      if (mailbox_end_ == at) return 0;
    }
    return mail_end_;
  }

  // Returns the place after the letters that follow the last full stop with at least two letters; 0: there is none.
  size_t end_of_domain(size_t begin) const {
    size_t best = 0;
    for (size_t at = begin; at < text_.size();) {
      const Utf8Char c = decode_utf8(text_, at);
      if (!is_domain(c.code_point)) break;
      const size_t next = at + c.bytes;
      if (c.code_point == '.' && at != begin && next < text_.size()) {
        const size_t letters = run(next, is_latin);
        if (letters > next + decode_utf8(text_, next).bytes) best = letters;
      }
      at = next;
    }
    return best;
  }

  std::string_view text_;
  size_t mailbox_end_ = 0;
  size_t mail_end_ = 0;
};

// Letters of scripts with upper and lower case.
bool is_cased(char32_t c) {
  constexpr std::array<std::pair<char32_t, char32_t>, 20> kScripts = {
      {{0x41, 0x58F},      {0x10A0, 0x10FF},   {0x13A0, 0x13FF},   {0x1C80, 0x1CBF},   {0x1D00, 0x1FFF},
       {0x2102, 0x2188},   {0x2C00, 0x2D2D},   {0xA640, 0xA69B},   {0xA722, 0xA7FF},   {0xAB30, 0xABBF},
       {0xFB00, 0xFB17},   {0xFF21, 0xFF5A},   {0x10400, 0x1044F}, {0x104B0, 0x104FB}, {0x10570, 0x105BC},
       {0x10780, 0x10CF2}, {0x118A0, 0x118DF}, {0x16E40, 0x16E7F}, {0x1D400, 0x1DF2A}, {0x1E900, 0x1E943}}};
  return unicode::is_letter(c) && is_in(c, kScripts);
}

// Characters that may be between the letters of a word: marks, apostrophes, stops in words, modifiers.
bool is_between_letters(char32_t c) {
  constexpr std::array<std::pair<char32_t, char32_t>, 25> kOthers = {
      {{0x27, 0x27},     {0x2E, 0x2E},     {0x3A, 0x3A},     {0x5E, 0x5E},     {0x60, 0x60},
       {0xA8, 0xA8},     {0xAD, 0xAD},     {0xAF, 0xAF},     {0xB4, 0xB4},     {0xB7, 0xB8},
       {0x2B0, 0x36F},   {0x387, 0x387},   {0x55F, 0x55F},   {0x5F4, 0x5F4},   {0x200B, 0x200F},
       {0x2018, 0x2019}, {0x2024, 0x2024}, {0x2027, 0x2027}, {0x202A, 0x202E}, {0x2060, 0x206F},
       {0xFE0F, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFF07, 0xFF07}, {0xFF0E, 0xFF0E}, {0x1F3FB, 0x1F3FF}}};
  return unicode::is_mark(c) || is_in(c, kOthers);
}

bool is_final_sigma(std::u32string_view text, size_t at) {
  size_t before = at;
  while (before > 0 && is_between_letters(text[before - 1])) --before;
  if (before == 0 || !is_cased(text[before - 1])) return false;
  size_t after = at + 1;
  while (after < text.size() && is_between_letters(text[after])) ++after;
  return after == text.size() || !is_cased(text[after]);
}

}  // namespace

bool is_python_space(char32_t c) { return unicode::is_space(c) || (c >= 0x1C && c <= 0x1F); }

std::vector<Offset> split_words(std::string_view text) {
  if (const auto invalid = find_invalid_utf8(text)) {
    throw Error(ErrorCode::kInvalidText, "text: not valid UTF-8 at byte " + std::to_string(*invalid));
  }
  std::vector<Offset> words;
  bool in_word = false;
  for (size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    const size_t next = at + c.bytes;
    const bool is_word = is_python_word(c.code_point);
    const bool joins =
        c.code_point == '-' && in_word && next < text.size() && is_python_word(decode_utf8(text, next).code_point);
    if (in_word && (is_word || joins)) {
      words.back().end = next;
    } else if (!is_python_space(c.code_point)) {
      words.push_back({at, next});
    }
    in_word = is_word || joins;
    at = next;
  }
  return words;
}

std::vector<Offset> split_text_words(std::string_view text) {
  if (const auto invalid = find_invalid_utf8(text)) {
    throw Error(ErrorCode::kInvalidText, "text: not valid UTF-8 at byte " + std::to_string(*invalid));
  }
  std::vector<Offset> words;
  WordScanner scanner(text);
  for (size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    if (is_python_space(c.code_point)) {
      at += c.bytes;
      continue;
    }
    words.push_back({at, scanner.end_of_word(at)});
    at = words.back().end;
  }
  return words;
}

std::string lower_case_text(std::string_view text) {
  constexpr char32_t kCapitalSigma = 0x3A3, kSigma = 0x3C3, kFinalSigma = 0x3C2;
  std::u32string characters;
  for (size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    characters.push_back(c.code_point);
    at += c.bytes;
  }
  std::string lower;
  lower.reserve(text.size());
  for (size_t i = 0; i < characters.size(); ++i) {
    const char32_t c = characters[i];
    if (c == kCapitalSigma) {
      append_utf8(lower, is_final_sigma(characters, i) ? kFinalSigma : kSigma);
      continue;
    }
    append_utf8(lower, unicode::lower_case(c));
    if (c == unicode::kDottedCapitalI) append_utf8(lower, unicode::kDotAbove);
  }
  return lower;
}

}  // namespace bert
