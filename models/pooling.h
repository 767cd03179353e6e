// From token representations to one vector a text: first token, mean or largest value over all tokens; and to unit
// length. Sums run in float64, tokens in order, so a text's vector does not depend on its batch. Stateless.
#pragma once

#include <span>

#include "bert/model.h"
#include "engine/tensor/matrix.h"

namespace bert {

// hidden: [tokens, hidden] of one sequence; vector: [hidden]. mode is not kPooler.
void pool_tokens(PoolingMode mode, ConstMatrixView hidden, std::span<float> vector);

// Divides by the Euclidean norm, or by 1e-12 where that is larger, as the reference does.
void normalize(std::span<float> vector);

}  // namespace bert
