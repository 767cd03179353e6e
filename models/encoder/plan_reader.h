// Makes a plan from configuration, family and checkpoint: reads every tensor that the configuration needs, by the
// family's name and with the required shape, and the tensors of the pooler and the heads that the checkpoint has.
#pragma once

#include "bert/config.h"
#include "models/encoder/plan.h"

namespace bert {

// Throws Error for a tensor that is missing or has another shape.
EncoderPlan read_plan(const ModelConfig& config, const Family& family, WeightReader& weights);

// Lets tensors of layers after the configuration's last one stay unused, as the reference does; returns the number of
// such layers.
size_t ignore_later_layers(const ModelConfig& config, const Family& family, WeightReader& weights);

}  // namespace bert
