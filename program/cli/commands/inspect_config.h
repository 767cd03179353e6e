// Writes a model's configuration as JSON for the command inspect.
#pragma once

#include <string>

#include "bert/config.h"

namespace bert::cli {

std::string config_json(const ModelConfig& config);

}  // namespace bert::cli
