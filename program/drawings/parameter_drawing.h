// Draws how many numbers the parts of a model have, as SVG. Stateless; safe to call from many threads.
#pragma once

#include <vector>

#include "program/drawings/drawing.h"

namespace bert::drawings {

// Draws a bar for each tensor of the embedding layer, weight and bias together, and one for each other part.
Picture draw_parameters(const std::vector<TensorInfo>& tensors);

}  // namespace bert::drawings
