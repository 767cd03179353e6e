// Makes a model of the first layers of another model (LoadOptions::layers). Stateless.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bert/config.h"
#include "models/config/family.h"

namespace bert {

// Reduces the configuration to this many layers. Throws Error(kInvalidArgument) unless the model has that many;
// kUnsupported for layers in several groups, because the number of layers decides a layer's group. source: the model's
// name in messages.
void keep_first_layers(ModelConfig& config, size_t layers, const std::string& source);

// Returns the names that config.json may have for the number of layers; the first is the family's own.
std::vector<std::string> layer_count_fields(const Family& family);

}  // namespace bert
