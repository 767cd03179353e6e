// The rotary positions of a configuration. Stateless.
#pragma once

#include <vector>

#include "bert/config.h"
#include "engine/layers/rotary.h"

namespace bert {

// Those of all layers, or of the global and then of the local ones if there are any.
std::vector<Rotary> rotary_kinds(const ModelConfig& config);

}  // namespace bert
