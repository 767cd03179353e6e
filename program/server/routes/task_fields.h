// The options of a task that a body has, read by the task's description. Throw ApiError, which names the field, for a
// value of another type, and for a missing one that is required. An option that says nothing, without or beside
// another, is not read.
#pragma once

#include <string_view>
#include <vector>

#include "program/server/routes/api.h"

namespace bert::server {

// Those of the route's task (BodyForm::task).
TaskSettings settings_of(const Call& call);

// A field, and the option whose value another server's API has in it; empty: the one of the same name.
struct FieldName {
  std::string_view field, option = {};
};
TaskSettings settings_of(const Json& body, std::string_view task, const std::vector<FieldName>& names);

}  // namespace bert::server
