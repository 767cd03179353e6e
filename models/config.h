// config.json to ModelConfig: every field that changes a number is checked for type and range, and what this library
// would compute wrongly is refused by name. Fields that do nothing to an encoder's numbers are not looked at.
// Stateless.
#pragma once

#include <string_view>

#include "bert/config.h"
#include "engine/base/file_source.h"

namespace bert {

// Throws Error: kInvalidFile with file, field, found and expected; kUnsupported for a valid setting that is not done
// here.
ModelConfig parse_config(std::string_view json, std::string_view source);

// config.json of a model. Throws Error(kNotFound) where there is none.
ModelConfig read_config(const FileSource& files);

}  // namespace bert
