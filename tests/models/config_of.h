// Returns a configuration made from the fields of a config.json, without the braces.
#pragma once

#include <string>

#include "models/config/config.h"

namespace bert::test {

inline ModelConfig config_of(const std::string& fields) { return parse_config("{" + fields + "}", "config.json"); }

}  // namespace bert::test
