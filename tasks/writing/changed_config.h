// Writes a config.json with some members replaced, for a model that is written again. Stateless.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/base/json/json.h"

namespace bert {

// Names of members with their values as JSON; "": the member is removed.
using ConfigMembers = std::vector<std::pair<std::string, std::string>>;

// Returns the object as JSON text: first these members, in order, then its other members.
std::string changed_config(const Json& config, const ConfigMembers& members);

// Returns a value as JSON, on one line.
std::string json_text(const Json& value);

}  // namespace bert
