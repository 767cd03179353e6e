// config.json with some members replaced, for a model that is written anew. Stateless.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/json/json.h"

namespace bert {

// Names of members, each with its value as JSON; "": the member is left out.
using ConfigMembers = std::vector<std::pair<std::string, std::string>>;

// The object with these members first, in their order, then its own others, as JSON text.
std::string changed_config(const Json& config, const ConfigMembers& members);

// A value as JSON, on one line.
std::string json_text(const Json& value);

}  // namespace bert
