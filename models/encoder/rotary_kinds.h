// Makes the rotary positions of a configuration. Stateless.
#pragma once

#include <vector>

#include "bert/config.h"
#include "engine/layers/rotary.h"

namespace bert {

// Returns one kind for all layers, or, if there are local layers, one for the global layers and one for the local ones.
std::vector<Rotary> rotary_kinds(const ModelConfig& config);

}  // namespace bert
