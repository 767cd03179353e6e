// From configuration, family and checkpoint to a plan: asks for every tensor that the configuration needs, by the
// family's name for it and with the shape that it must have, and for the pooler's and the heads' that are there.
#pragma once

#include "bert/config.h"
#include "models/plan.h"

namespace bert {

// Throws Error for a tensor that is missing or has another shape.
EncoderPlan read_plan(const ModelConfig& config, const Family& family, WeightReader& weights);

}  // namespace bert
