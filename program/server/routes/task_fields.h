// Reads the options of a task from a body, by the task's description. Functions throw ApiError, which names the field,
// for a value of another type, and for a missing required option. An option without one that it needs, or beside one
// that it excludes, is ignored.
#pragma once

#include <string_view>
#include <vector>

#include "program/server/routes/api.h"

namespace bert::server {

// Returns the options of the route's task (BodyForm::task).
TaskSettings settings_of(const Call& call);

// A field of another server's API, and the option that it stands for; empty: the option of the same name.
struct FieldName {
  std::string_view field, option = {};
};
TaskSettings settings_of(const Json& body, std::string_view task, const std::vector<FieldName>& names);

}  // namespace bert::server
