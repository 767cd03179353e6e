#include "program/cli/input/text_decoder.h"

#include <cstdint>
#include <cstdio>

#include "engine/base/utf8.h"

namespace bert::cli {
namespace {

// The characters of the bytes 0x80 to 0x9F; 0: none. Source: unicode.org's MAPPINGS/VENDORS/MICSFT/WINDOWS/CP1252.TXT.
constexpr uint16_t kWindows1252[32] = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                       0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                       0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                       0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

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
  if (invalid_ != InvalidBytes::kSkip) text += kReplacementText;
}

std::string TextDecoder::from_utf8(const std::string& line, bool& changed) const {
  std::string text;
  for (size_t at = 0; at < line.size();) {
    const Utf8Part part = utf8_part(line, at);
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
      append_utf8(text, character);
    }
  }
  return text;
}

}  // namespace bert::cli
