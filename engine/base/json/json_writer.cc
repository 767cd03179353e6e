#include "engine/base/json/json_writer.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

#include "engine/base/utf8.h"

namespace bert {
namespace {

template <class Number>
void append(std::string& text, Number value) {
  char digits[64];
  const std::to_chars_result result = std::to_chars(digits, digits + sizeof(digits), value);
  text.append(digits, result.ptr);
}

// Appends the fewest digits that read back as the same float.
template <class Float>
void append_float(std::string& text, Float value) {
#if defined(__cpp_lib_to_chars)
  append(text, value);
#else  // for standard libraries with only the integer overloads, such as libc++ 14
  char digits[64];
  for (int precision = 1; precision <= std::numeric_limits<Float>::max_digits10; ++precision) {
    std::snprintf(digits, sizeof digits, "%.*g", precision, static_cast<double>(value));
    if (static_cast<Float>(std::strtod(digits, nullptr)) == value) break;
  }
  text += digits;
#endif
}

void append_control(std::string& text, char c) {
  constexpr std::string_view kControls = "\b\f\n\r\t", kLetters = "bfnrt";
  if (const size_t i = kControls.find(c); i != kControls.npos) {
    (text += '\\') += kLetters[i];
    return;
  }
  text += "\\u00";
  text += "0123456789abcdef"[c >> 4];
  text += "0123456789abcdef"[c & 15];
}

}  // namespace

void append_number(std::string& text, float value) { append_float(text, value); }
void append_number(std::string& text, double value) { append_float(text, value); }
void append_number(std::string& text, int64_t value) { append(text, value); }
void append_number(std::string& text, uint64_t value) { append(text, value); }

void append_string(std::string& text, std::string_view value) {
  text += '"';
  for (size_t i = 0; i < value.size();) {
    const char c = value[i];
    if (c == '"' || c == '\\') {
      (text += '\\') += c;
      ++i;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      append_control(text, c);
      ++i;
    } else if (static_cast<unsigned char>(c) < 0x80) {
      text += c;
      ++i;
    } else {
      const Utf8Part part = utf8_part(value, i);
      text += part.is_character ? value.substr(i, part.bytes) : kReplacementText;
      i += part.bytes;
    }
  }
  text += '"';
}

void append_tensor(std::string& text, std::span<const float> values, std::span<const size_t> shape) {
  if (shape.empty()) return append_number(text, values[0]);
  const size_t stride = shape[0] == 0 ? 0 : values.size() / shape[0];
  text += '[';
  for (size_t i = 0; i < shape[0]; ++i) {
    if (i > 0) text += ',';
    append_tensor(text, values.subspan(i * stride, stride), shape.subspan(1));
  }
  text += ']';
}

std::string& JsonWriter::member(std::string_view name) {
  text_ += text_.empty() ? '{' : ',';
  append_string(text_, name);
  text_ += ':';
  return text_;
}

std::string JsonWriter::take() {
  std::string result = text_.empty() ? "{" : std::move(text_);
  text_.clear();
  result += '}';
  return result;
}

}  // namespace bert
