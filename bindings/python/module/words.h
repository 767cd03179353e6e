// Enums by their Python names.
#pragma once

#include <map>
#include <string>

#include "bert/error.h"
#include "bert/model.h"

namespace bert::python {

template <typename Value>
Value chosen(const std::map<std::string, Value>& values, const std::string& name, const char* what) {
  const auto found = values.find(name);
  if (found != values.end()) return found->second;
  std::string names;
  for (const auto& [known, value] : values) names.append(names.empty() ? "" : ", ").append(known);
  throw Error(ErrorCode::kInvalidArgument, std::string(what) + " '" + name + "', expected one of " + names);
}

inline TextRole role_named(const std::string& name) {
  return chosen<TextRole>({{"query", TextRole::kQuery}, {"document", TextRole::kDocument}}, name, "role");
}

}  // namespace bert::python
