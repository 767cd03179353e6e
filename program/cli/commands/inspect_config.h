// The configuration of a model as the command inspect writes it in JSON.
#pragma once

#include <string>

#include "bert/config.h"

namespace bert::cli {

std::string config_json(const ModelConfig& config);

}  // namespace bert::cli
