#include "tools/cli/input/text_decoder.h"

#include <cstdint>
#include <cstdio>

namespace bert::cli {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// The characters of the bytes 0x80 to 0x9F; 0: none. Source: unicode.org's MAPPINGS/VENDORS/MICSFT/WINDOWS/CP1252.TXT.
constexpr uint16_t kWindows1252[32] = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                       0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                       0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                       0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

void append_character(std::string& text, uint32_t c) {
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
  } else {
    text += {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
             static_cast<char>(0x80 | (c & 0x3F))};
  }
}

struct Utf8Part {
  size_t bytes = 1;
  bool is_character = false;
};

// The character at `at`, or the longest beginning of one that is there instead.
// Source: The Unicode Standard, table 3-7 and section 3.9, "U+FFFD Substitution of Maximal Subparts".
Utf8Part part_at(const std::string& line, size_t at) {
  const auto byte = [&](size_t i) { return i < line.size() ? static_cast<uint8_t>(line[i]) : uint8_t{0}; };
  const uint8_t first = byte(at);
  if (first < 0x80) return {1, true};
  if (first < 0xC2 || first > 0xF4) return {};
  const size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  const uint8_t least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const uint8_t most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte(at + 1) < least || byte(at + 1) > most) return {};
  for (size_t i = 2; i < length; ++i) {
    if (byte(at + i) < 0x80 || byte(at + i) > 0xBF) return {i, false};
  }
  return {length, true};
}

}  // namespace

std::optional<std::string> TextDecoder::decode(std::string& line) {
  if (encoding_ == TextEncoding::kUtf8) {
    if (invalid_ == InvalidBytes::kFail) return std::nullopt;
    bool changed = false;
    line = from_utf8(line, changed);
    changed_lines_ += changed ? 1 : 0;
    return std::nullopt;
  }
  std::optional<size_t> first_invalid;
  const std::string original = line;
  line = from_single_bytes(original, first_invalid);
  if (!first_invalid) return std::nullopt;
  if (invalid_ != InvalidBytes::kFail) {
    ++changed_lines_;
    return std::nullopt;
  }
  char hex[5];
  std::snprintf(hex, sizeof(hex), "0x%02X", static_cast<uint8_t>(original[*first_invalid]));
  return "not valid windows-1252 at byte " + std::to_string(*first_invalid) + " of the line: found " + hex;
}

void TextDecoder::append_invalid(std::string& text) const {
  if (invalid_ != InvalidBytes::kSkip) text += kReplacement;
}

std::string TextDecoder::from_utf8(const std::string& line, bool& changed) const {
  std::string text;
  for (size_t at = 0; at < line.size();) {
    const Utf8Part part = part_at(line, at);
    if (part.is_character) {
      text.append(line, at, part.bytes);
    } else {
      append_invalid(text);
      changed = true;
    }
    at += part.bytes;
  }
  return text;
}

std::string TextDecoder::from_single_bytes(const std::string& line, std::optional<size_t>& first_invalid) const {
  std::string text;
  for (size_t at = 0; at < line.size(); ++at) {
    const auto byte = static_cast<uint8_t>(line[at]);
    const bool is_of_windows = encoding_ == TextEncoding::kWindows1252 && byte >= 0x80 && byte < 0xA0;
    const uint32_t character = is_of_windows ? kWindows1252[byte - 0x80] : byte;
    if (is_of_windows && character == 0) {
      if (!first_invalid) first_invalid = at;
      append_invalid(text);
    } else {
      append_character(text, character);
    }
  }
  return text;
}

}  // namespace bert::cli
