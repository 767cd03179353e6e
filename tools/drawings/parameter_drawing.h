// How many parameters each part of a model has, as SVG. Stateless; safe to call from many threads.
#pragma once

#include <span>
#include <string>

#include "bert/model.h"

namespace bert::drawings {

// A bar for each module outside the layers and for each layer, in the order of `tensors`, which are not empty: of BERT
// the three tables of the embedding layer, its LayerNorm, each layer, and the pooler. Tensors that the model does not
// use are left out.
std::string draw_parameters(std::span<const TensorInfo> tensors);

}  // namespace bert::drawings
