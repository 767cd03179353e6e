#include "program/common/json_reader.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace bert::common {
namespace {

constexpr uint32_t kReplacement = 0xFFFD;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::string& text, uint32_t c) {
  const auto continuation = [&](unsigned shift) { text += static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xC0 | c >> 6);
    continuation(0);
  } else if (c < 0x10000) {
    text += static_cast<char>(0xE0 | c >> 12);
    continuation(6);
    continuation(0);
  } else {
    text += static_cast<char>(0xF0 | c >> 18);
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

// Returns the bytes of the first character, which is not ASCII; 0: not UTF-8.
size_t character_bytes(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  const size_t bytes = first >= 0xC2 && first < 0xE0 ? 2 : first >= 0xE0 && first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (first < 0xC2 || bytes == 0) return 0;
  const unsigned least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < least || byte(1) > most) return 0;
  for (size_t i = 2; i < bytes; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return bytes;
}

class Reader {
 public:
  Reader(std::string_view text, size_t max_depth, JsonEvents& events)
      : text_(text), max_depth_(max_depth), events_(events) {}

  void read() {
    while (true) {
      if (begin_value()) continue;
      while (true) {
        skip_space();
        if (open_.empty()) {
          if (at_ < text_.size()) refuse("the end of the text");
          return;
        }
        const bool in_object = open_.back() == '{';
        if (accept(',')) {
          if (in_object) read_key();
          break;
        }
        if (next() != (in_object ? '}' : ']')) refuse(in_object ? "a comma or }" : "a comma or ]");
        close();
      }
    }
  }

  JsonProblem problem(std::string what) const { return {at_, std::move(what)}; }

 private:
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \n\r\t").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  bool accept(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool accept(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  [[noreturn]] void refuse(const std::string& expected) const { throw problem(found() + ", expected " + expected); }

  std::string found() const {
    if (at_ >= text_.size()) return "found the end of the text";
    const auto byte = static_cast<unsigned char>(text_[at_]);
    constexpr const char* kDigits = "0123456789abcdef";
    if (byte > 0x20 && byte < 0x7F) return std::string("found '") + text_[at_] + "'";
    return std::string("found the byte 0x") + kDigits[byte >> 4] + kDigits[byte & 15];
  }

  // Begins a value; returns whether it is a non-empty object or array, whose content comes next.
  bool begin_value() {
    skip_space();
    const char first = next();
    if (first != '{' && first != '[') {
      scalar(first);
      return false;
    }
    if (open_.size() == max_depth_) throw problem("more than " + std::to_string(max_depth_) + " levels");
    ++at_;
    open_.push_back(first);
    first == '{' ? events_.start_object() : events_.start_array();
    skip_space();
    if (next() == (first == '{' ? '}' : ']')) {
      close();
      return false;
    }
    if (first == '{') read_key();
    return true;
  }

  void close() {
    ++at_;
    const char first = open_.back();
    open_.pop_back();
    first == '{' ? events_.end_object() : events_.end_array();
  }

  void read_key() {
    skip_space();
    if (next() != '"') refuse("a key");
    events_.key(read_string());
    skip_space();
    if (!accept(':')) refuse("a colon");
  }

  void scalar(char first) {
    const size_t begin = at_;
    if (first == '"') {
      events_.string(read_string());
    } else if (accept("true")) {
      events_.boolean(true);
    } else if (accept("false")) {
      events_.boolean(false);
    } else if (accept("null")) {
      events_.null();
    } else if (accept("NaN") || accept("Infinity") || accept("-Infinity") || skip_number()) {
      events_.number(text_.substr(begin, at_ - begin));
    } else {
      refuse("a value");
    }
  }

  // Returns false, and skips nothing, if no number comes next.
  bool skip_number() {
    const size_t begin = at_;
    const auto digits = [&] {
      const size_t first = at_;
      while (is_digit(next())) ++at_;
      return at_ - first;
    };
    const auto is_valid = [&] {
      accept('-');
      const bool zero = next() == '0';
      const size_t whole = digits();
      if (whole == 0 || (zero && whole > 1)) return false;
      if (accept('.') && digits() == 0) return false;
      if (!accept('e') && !accept('E')) return true;
      if (!accept('+')) accept('-');
      return digits() > 0;
    };
    if (is_valid()) return true;
    at_ = begin;
    return false;
  }

  std::string& read_string() {
    string_.clear();
    const size_t begin = at_++;
    while (true) {
      const size_t plain = at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\') skip_character();
      string_.append(text_, plain, at_ - plain);
      if (accept('"')) return string_;
      if (at_ >= text_.size()) {
        at_ = begin;
        throw problem("a string that never ends");
      }
      read_escape();
    }
  }

  void skip_character() {
    const auto byte = static_cast<unsigned char>(text_[at_]);
    if (byte < 0x20) refuse("control characters escaped");
    const size_t bytes = byte < 0x80 ? 1 : character_bytes(text_.substr(at_));
    if (bytes == 0) refuse("UTF-8");
    at_ += bytes;
  }

  void read_escape() {
    ++at_;
    constexpr std::string_view kEscapes = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const size_t index = at_ < text_.size() ? kEscapes.find(text_[at_]) : std::string_view::npos;
    if (index != std::string_view::npos) {
      ++at_;
      string_ += kMeanings[index];
      return;
    }
    if (!accept('u')) refuse("an escape of JSON");
    const std::optional<uint32_t> unit = hex4();
    if (!unit) refuse("four hexadecimal digits after \\u");
    append_utf8(string_, *unit >= 0xD800 && *unit < 0xE000 ? pair_of(*unit) : *unit);
  }

  // Returns the character of a surrogate pair; U+FFFD for half of a pair, whose next escape is not read.
  uint32_t pair_of(uint32_t high) {
    const size_t after = at_;
    if (high < 0xDC00 && accept("\\u")) {
      const std::optional<uint32_t> low = hex4();
      if (low && *low >= 0xDC00 && *low < 0xE000) return 0x10000 + ((high - 0xD800) << 10) + (*low - 0xDC00);
    }
    at_ = after;
    return kReplacement;
  }

  std::optional<uint32_t> hex4() {
    uint32_t value = 0;
    const std::string_view digits = text_.substr(at_, 4);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc() || end != digits.data() + 4) return std::nullopt;
    at_ += 4;
    return value;
  }

  std::string_view text_;
  size_t max_depth_;
  JsonEvents& events_;
  size_t at_ = 0;
  std::vector<char> open_;
  std::string string_;  // the last string
};

}  // namespace

std::optional<JsonProblem> read_json(std::string_view text, size_t max_depth, JsonEvents& events) {
  try {
    Reader(text, max_depth, events).read();
  } catch (JsonProblem& problem) {
    return std::move(problem);
  }
  return std::nullopt;
}

std::optional<double> finite_number(std::string_view written) {
  double value = 0;
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), value);
  const size_t exponent = written.find_first_of("eE");
  if (error == std::errc::result_out_of_range) {  // too large, or so small that it rounds to 0
    const bool has_exponent = exponent != std::string_view::npos;
    const bool is_small = has_exponent ? written[exponent + 1] == '-' : written.substr(0, 3).find('.') != written.npos;
    return is_small ? std::optional(0.0) : std::nullopt;
  }
  return error == std::errc() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace bert::common
