// Reads the family's heads that a checkpoint has, with views of their weights.
#pragma once

#include <string_view>
#include <vector>

#include "bert/config.h"
#include "models/encoder/plan.h"

namespace bert {

// word_embeddings, word_table: the weight of a tied decoder, and the name of the weight's module. Throws Error for a
// head with a missing tensor or a wrong shape.
std::vector<HeadSpec> read_heads(const ModelConfig& config, const Family& family, const WeightView& word_embeddings,
                                 std::string_view word_table, WeightReader& weights);

}  // namespace bert
