// The options of a task that a body has, read by the task's description. Throw ApiError, which names the field, for a
// value of another type, and for a missing one that is required. An option that says nothing, without or beside
// another, is not read.
#pragma once

#include <initializer_list>
#include <string_view>

#include "program/server/routes/api.h"

namespace bert::server {

// Those of the route's task (BodyForm::task).
TaskSettings settings_of(const Call& call);

// Another server's name for an option.
struct FieldName {
  std::string_view field, option;
};
TaskSettings settings_of(const Json& body, std::string_view task, std::initializer_list<FieldName> names);

}  // namespace bert::server
