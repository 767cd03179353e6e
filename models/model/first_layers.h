// A model of the first layers of another (LoadOptions::layers). Stateless.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bert/config.h"
#include "models/config/family.h"

namespace bert {

// Makes the configuration one of so many layers. Throws Error(kInvalidArgument) unless the model has as many;
// kUnsupported for layers in several groups: which group a layer is in depends on their number. source: the model's,
// for messages.
void keep_first_layers(ModelConfig& config, size_t layers, const std::string& source);

// The names that config.json may have for the number of layers; the first is the family's own.
std::vector<std::string> layer_count_fields(const Family& family);

}  // namespace bert
