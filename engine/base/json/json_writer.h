// Writes JSON by appending to a text, so that megabytes of numbers never form a tree of values. Floats get the fewest
// digits that read back as the same float. Stateless; safe to call from many threads.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bert {

void append_number(std::string& text, float value);
void append_number(std::string& text, double value);
void append_number(std::string& text, int64_t value);
void append_number(std::string& text, uint64_t value);
template <std::signed_integral Integer>
void append_number(std::string& text, Integer value) {
  append_number(text, static_cast<int64_t>(value));
}
template <std::unsigned_integral Integer>
void append_number(std::string& text, Integer value) {
  append_number(text, static_cast<uint64_t>(value));
}

// Appends a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
void append_string(std::string& text, std::string_view value);

// Appends a row-major tensor as nested arrays; shape [] is a number.
void append_tensor(std::string& text, std::span<const float> values, std::span<const size_t> shape);

// Appends an array; append(text, item) appends each value.
template <class Items, class Append>
void append_list(std::string& text, const Items& items, const Append& append) {
  text += '[';
  bool first = true;
  for (const auto& item : items) {
    if (!first) text += ',';
    first = false;
    append(text, item);
  }
  text += ']';
}

// Writes one object, member by member in call order.
class JsonWriter {
 public:
  // Begins a member; the caller appends its value to the returned string.
  std::string& member(std::string_view name);

  void string(std::string_view name, std::string_view value) { append_string(member(name), value); }
  template <class Number>
  void number(std::string_view name, Number value) {
    append_number(member(name), value);
  }
  template <class Number>
  void numbers(std::string_view name, std::span<const Number> values) {
    append_list(member(name), values, [](std::string& text, Number value) { append_number(text, value); });
  }
  void strings(std::string_view name, const std::vector<std::string>& values) {
    append_list(member(name), values, [](std::string& text, const std::string& value) { append_string(text, value); });
  }
  void boolean(std::string_view name, bool value) { member(name) += value ? "true" : "false"; }

  // Returns the object's text and resets the writer.
  std::string take();

 private:
  std::string text_;
};

}  // namespace bert
