// Refuses a NaN or an infinity in what a pass has computed, naming the sequence that has it. Stateless.
#pragma once

#include <span>
#include <string>

#include "engine/tensor/matrix.h"
#include "engine/tensor/ragged_batch.h"

namespace bert {

bool all_finite(std::span<const float> values);

// Throws Error(kNonFinite); `what` has the numbers: "the pooled output".
[[noreturn]] void refuse_not_finite(const RaggedBatch& batch, size_t sequence, const std::string& what);

// Throw it for the first sequence whose rows are not all numbers.
void check_finite(const RaggedBatch& batch, ConstMatrixView hidden);         // [tokens, hidden]
void check_pooled_finite(const RaggedBatch& batch, ConstMatrixView pooled);  // [sequences, hidden]

}  // namespace bert
