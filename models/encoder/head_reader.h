// The family's heads that a checkpoint has, with views of their weights.
#pragma once

#include <vector>

#include "bert/config.h"
#include "models/encoder/plan.h"

namespace bert {

// word_embeddings: the weight of a tied decoder. Throws Error for a head with a missing tensor or a wrong shape.
std::vector<HeadSpec> read_heads(const ModelConfig& config, const Family& family, const WeightView& word_embeddings,
                                 WeightReader& weights);

}  // namespace bert
