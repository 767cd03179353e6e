// The forms of bodies, as tables: the names and types of their fields. The OpenAPI document, the words that a field
// allows, and the check for unknown fields use them. A field that is an option of a task is described by the task
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
  std::span<const std::string_view> words = {};   // for a string; empty: any
  double least = -kUnbounded, most = kUnbounded;  // for a number
  const FieldType* items = nullptr;               // for an array; null: any
  std::array<const FieldType*, 3> either = {};
  const BodyForm* form = nullptr;  // for an object; null: any
};

enum class Need { kNone, kRequired, kOneOf };  // kOneOf: a body must have one of the form's fields with this value

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

  std::span<const Field> fields = {};               // empty: an object whose fields the route reads itself
  std::string_view task = {};                       // its options are also fields
  std::span<const std::string_view> left_out = {};  // options of the task that are not fields
};

// Returns the options of the form's task that are fields.
std::vector<const TaskOption*> options_of(const BodyForm& form);
// Returns all fields, the task's options last.
std::vector<Field> fields_of(const BodyForm& form);
// Returns the JSON schema.
std::string schema_of(const FieldType& type);

}  // namespace bert::server
