#include "tools/common/json_writer.h"

#include <charconv>
#include <nlohmann/json.hpp>

namespace bert::common {
namespace {

template <class Number>
void append(std::string& text, Number value) {
  char digits[64];
  const std::to_chars_result result = std::to_chars(digits, digits + sizeof(digits), value);
  text.append(digits, result.ptr);
}

}  // namespace

void append_number(std::string& text, float value) { append(text, value); }
void append_number(std::string& text, double value) { append(text, value); }
void append_number(std::string& text, int64_t value) { append(text, value); }
void append_number(std::string& text, uint64_t value) { append(text, value); }

void append_string(std::string& text, std::string_view value) {
  text += nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append_tensor(std::string& text, std::span<const float> values, std::span<const size_t> shape) {
  if (shape.empty()) {
    append_number(text, values[0]);
    return;
  }
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

}  // namespace bert::common
