// What bodies have, as tables: the names and types of their fields. The OpenAPI document, the words that a field may
// have, and what is unknown in a body come from them. A field that is an option of a task is described by the task
// (bert/task_settings.h). Immutable; safe to use from many threads.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/task_settings.h"

namespace bert::server {

struct BodyForm;

struct FieldType {
  static constexpr double kUnbounded = std::numeric_limits<double>::infinity();

  std::string_view name = {};                     // "string", "integer", …, as in JSON Schema; empty: one of `either`
  std::span<const std::string_view> words = {};   // of a string; empty: any
  double least = -kUnbounded, most = kUnbounded;  // of a number
  const FieldType* items = nullptr;               // of an array; null: any
  std::array<const FieldType*, 3> either = {};
  const BodyForm* form = nullptr;  // of an object; null: any
};

enum class Need { kNone, kRequired, kOneOf };  // kOneOf: a body has one of its form's fields that have this

struct Field {
  std::string_view name;
  FieldType type;
  Need need = Need::kNone;
};

struct BodyForm {
  constexpr BodyForm() = default;
  template <size_t count>
  constexpr BodyForm(const Field (&all)[count], std::string_view name = {}, std::span<const std::string_view> out = {})
      : fields(all), task(name), left_out(out) {}

  std::span<const Field> fields = {};               // none: an object, of which the route reads all fields itself
  std::string_view task = {};                       // its options are fields too
  std::span<const std::string_view> left_out = {};  // but for these options
};

// The options of the form's task that are fields.
std::vector<const TaskOption*> options_of(const BodyForm& form);
// All fields, the options last.
std::vector<Field> fields_of(const BodyForm& form);
// The JSON schema.
std::string schema_of(const FieldType& type);

}  // namespace bert::server
