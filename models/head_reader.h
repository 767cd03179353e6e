// Which of its family's heads a checkpoint has, with views of their weights.
#pragma once

#include <vector>

#include "bert/config.h"
#include "models/plan.h"

namespace bert {

// word_embeddings: what a tied decoder multiplies with. Throws Error for a head whose tensors are incomplete or have
// another shape.
std::vector<HeadSpec> read_heads(const ModelConfig& config, const Family& family, const WeightView& word_embeddings,
                                 WeightReader& weights);

}  // namespace bert
