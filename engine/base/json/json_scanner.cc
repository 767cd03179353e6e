#include "engine/base/json/json_scanner.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "engine/base/utf8.h"

namespace bert {
namespace {

constexpr uint32_t kReplacementCharacter = 0xFFFD;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

JsonScanner::JsonScanner(std::span<char> text, std::string_view source, size_t file_offset, JsonDialect dialect)
    : text_(text), source_(source), file_offset_(file_offset), dialect_(dialect) {
  if (const auto invalid = find_invalid_utf8({text.data(), text.size()})) {
    refuse_at(file_offset + *invalid, "byte " + quote({text.data() + *invalid, 1}) + ", expected UTF-8");
  }
}

void JsonScanner::refuse_at(size_t position, const std::string& message) const {
  const std::string line = line_ > 1 ? ", line " + std::to_string(line_) : "";
  throw Error(ErrorCode::kInvalidFile, quote_path(source_) + line + ", byte " + std::to_string(position) + ": " +
                                           about_ + (about_.empty() ? "" : ": ") + message);
}

void JsonScanner::refuse(const std::string& message) const { refuse_at(position(), message); }

size_t JsonScanner::position() const { return file_offset_ + at_; }

std::string JsonScanner::found() const {
  if (at_ >= text_.size()) return "the end of the text";
  return quote(std::string_view(text_.data() + at_, text_.size() - at_), 16);
}

void JsonScanner::skip_space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return;
    line_ += c == '\n';
    ++at_;
  }
}

bool JsonScanner::next_is(char c) {
  skip_space();
  return at_ < text_.size() && text_[at_] == c;
}

bool JsonScanner::accept(char c) {
  if (!next_is(c)) return false;
  ++at_;
  return true;
}

void JsonScanner::expect(char c, std::string_view what) {
  if (!accept(c)) refuse("found " + found() + ", expected " + std::string(what));
}

uint32_t JsonScanner::hex4() {
  uint32_t value = 0;
  for (int digit = 0; digit < 4; ++digit, ++at_) {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (is_digit(c)) {
      value = value * 16 + static_cast<uint32_t>(c - '0');
    } else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) {
      value = value * 16 + static_cast<uint32_t>((c | 0x20) - 'a' + 10);
    } else {
      refuse("found " + found() + ", expected four hexadecimal digits after \\u");
    }
  }
  return value;
}

// Returns the character of a surrogate pair whose first half was read. If the second half is missing, reads nothing
// more.
uint32_t JsonScanner::surrogates(uint32_t first) {
  const size_t after = at_;
  if (first < 0xDC00 && at_ + 1 < text_.size() && text_[at_] == '\\' && text_[at_ + 1] == 'u') {
    at_ += 2;
    const uint32_t second = hex4();
    if (second >= 0xDC00 && second < 0xE000) return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
  }
  if (dialect_ != JsonDialect::kPython) refuse("half of a surrogate pair in a string");
  at_ = after;
  return kReplacementCharacter;
}

std::string_view JsonScanner::string(std::string_view what) {
  expect('"', what);
  const size_t begin = at_;
  size_t out = at_;  // an escape is never shorter than its character, so writing cannot overtake reading
  const auto put = [&](uint32_t c) {
    std::string bytes;
    append_utf8(bytes, c);
    std::memcpy(text_.data() + out, bytes.data(), bytes.size());
    out += bytes.size();
  };
  while (true) {
    if (at_ >= text_.size()) refuse_at(file_offset_ + begin - 1, "a string that never ends");
    const char c = text_[at_];
    if (c == '"') {
      ++at_;
      return {text_.data() + begin, out - begin};
    }
    if (static_cast<unsigned char>(c) < 0x20) refuse("a control character in a string, expected it escaped");
    ++at_;
    if (c != '\\') {
      text_[out++] = c;
      continue;
    }
    const char escape = at_ < text_.size() ? text_[at_] : '\0';
    constexpr std::string_view kEscapes = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (const size_t index = kEscapes.find(escape); escape != '\0' && index != std::string_view::npos) {
      ++at_;
      text_[out++] = kMeanings[index];
      continue;
    }
    if (escape != 'u') refuse("found " + found() + " after a backslash, expected an escape of JSON");
    ++at_;
    uint32_t unit = hex4();
    if (unit >= 0xD800 && unit < 0xE000) unit = surrogates(unit);
    put(unit);
  }
}

uint64_t JsonScanner::integer(std::string_view what) {
  skip_space();
  const char* const begin = text_.data() + at_;
  const char* const text_end = text_.data() + text_.size();
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(begin, text_end, value);  // digits only, as many as possible
  const bool leading_zero = end - begin > 1 && *begin == '0';
  const bool goes_on = end < text_end && std::string_view(".eE+-").find(*end) != std::string_view::npos;
  if (error != std::errc() || value > INT64_MAX || leading_zero || goes_on) {
    refuse("found " + found() + ", expected " + std::string(what) + ": an integer of 0 to 2^63 - 1, digits only");
  }
  at_ += static_cast<size_t>(end - begin);
  return value;
}

std::string_view JsonScanner::skip_value(int depth) {
  skip_space();
  const size_t begin = at_;
  const char c = at_ < text_.size() ? text_[at_] : '\0';
  if ((c == '{' || c == '[') && depth == 0) refuse("JSON is nested too deep here");
  if (c == '{') {
    members("an object", [&](std::string_view) {
      if (++skipped_keys_ > kMaxSkippedKeys) refuse("more than " + std::to_string(kMaxSkippedKeys) + " keys");
      skip_value(depth - 1);
    });
  } else if (c == '[') {
    array("an array", [&] { skip_value(depth - 1); });
  } else if (c == '"') {
    string("a string");
  } else if (!accept_word("true") && !accept_word("false") && !accept_word("null") && !skip_number()) {
    refuse("found " + found() + ", expected a value of JSON");
  }
  return {text_.data() + begin, at_ - begin};
}

std::optional<std::string_view> JsonScanner::accept_word(std::string_view word) {
  skip_space();
  const std::string_view rest(text_.data() + at_, text_.size() - at_);
  if (!rest.starts_with(word)) return std::nullopt;
  at_ += word.size();
  return rest.substr(0, word.size());
}

void JsonScanner::add_key(std::string_view key) {
  uint64_t prefix = 0;
  for (size_t i = 0; i < sizeof(prefix); ++i) {
    prefix = prefix << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0u);
  }
  keys_.push_back({prefix, key});
}

// Sorted, not hashed, so that no choice of keys is slower than another.
std::vector<JsonScanner::RepeatedKey> JsonScanner::take_repeated(size_t first) {
  const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, keys_.end(), [](const Key& a, const Key& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    if (a.text.size() != b.text.size()) return a.text.size() < b.text.size();
    const int order = a.text.size() > sizeof(a.prefix) ? a.text.compare(b.text) : 0;
    return order != 0 ? order < 0 : a.text.data() < b.text.data();
  });
  std::vector<RepeatedKey> repeated;
  const auto same = [](const Key& a, const Key& b) { return a.text == b.text; };
  for (auto twin = std::adjacent_find(begin, keys_.end(), same); twin != keys_.end();
       twin = std::adjacent_find(twin + 1, keys_.end(), same)) {
    repeated.push_back({twin[0].text, twin[1].text});
  }
  std::sort(repeated.begin(), repeated.end(),
            [](const RepeatedKey& a, const RepeatedKey& b) { return a.earlier.data() < b.earlier.data(); });
  keys_.erase(begin, keys_.end());
  return repeated;
}

void JsonScanner::refuse_repeated(std::string_view key) const {
  refuse_at(file_offset_ + static_cast<size_t>(key.data() - text_.data()), "duplicate key " + quote(key));
}

// Returns false, and skips nothing, if the next bytes are not a JSON number.
bool JsonScanner::skip_number() {
  size_t i = at_;
  const auto next = [&] { return i < text_.size() ? text_[i] : '\0'; };
  const auto skip_digits = [&] {
    const size_t begin = i;
    while (is_digit(next())) ++i;
    return i - begin;
  };
  if (next() == '-') ++i;
  const bool zero = next() == '0';
  const size_t whole = skip_digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (next() == '.') {
    ++i;
    if (skip_digits() == 0) return false;
  }
  if (next() == 'e' || next() == 'E') {
    ++i;
    if (next() == '+' || next() == '-') ++i;
    if (skip_digits() == 0) return false;
  }
  at_ = i;
  return true;
}

std::string_view JsonScanner::number(std::string_view what) {
  skip_space();
  const size_t begin = at_;
  if (!skip_number()) refuse("found " + found() + ", expected " + std::string(what));
  return {text_.data() + begin, at_ - begin};
}

void JsonScanner::end() {
  skip_space();
  if (at_ < text_.size()) refuse("found " + found() + " after the JSON, expected only white space");
}

}  // namespace bert
