// Reads JSON from outside, such as lines of --jsonl and bodies of requests, value by value and without a tree. As in
// Python's json, NaN, Infinity and -Infinity are numbers, and half of a surrogate pair becomes U+FFFD. Numbers are
// passed as written, and duplicate keys as often as they occur, so that values that a caller ignores do not matter
// (docs/OUTPUT.md). Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace bert::common {

// Receives the values in the order of the text.
class JsonEvents {
 public:
  virtual ~JsonEvents() = default;
  virtual void null() = 0;
  virtual void boolean(bool value) = 0;
  virtual void number(std::string_view written) = 0;
  virtual void string(std::string& value) = 0;  // may be moved from
  virtual void start_object() = 0;
  virtual void key(std::string& name) = 0;  // may be moved from
  virtual void end_object() = 0;
  virtual void start_array() = 0;
  virtual void end_array() = 0;
};

struct JsonProblem {
  size_t position;   // in bytes
  std::string what;  // "found '}', expected a value"
};

// Reads a text that must be one value of JSON in UTF-8, with at most max_depth open brackets. Returns nullopt, or what
// is wrong, after the events of everything before it.
std::optional<JsonProblem> read_json(std::string_view text, size_t max_depth, JsonEvents& events);

// Returns the number's value; nullopt for NaN, the infinities and numbers beyond double's range.
std::optional<double> finite_number(std::string_view written);

}  // namespace bert::common
