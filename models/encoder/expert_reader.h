// Reads the experts of a layer. Stateless.
#pragma once

#include "engine/layers/feed_forward.h"
#include "models/config/family.h"
#include "models/encoder/relative_reader.h"

namespace bert {

// Requires config.experts. Throws Error as WeightReader does.
Experts read_experts(const ModelConfig& config, const EncoderNames& names, const LayerNumbers& numbers,
                     Activation activation, WeightReader& weights);

}  // namespace bert
