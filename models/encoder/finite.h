// Rejects NaN or infinity in the output of a forward pass, and names the sequence. Stateless.
#pragma once

#include <span>
#include <string>

#include "engine/base/thread_pool.h"
#include "engine/tensor/matrix.h"
#include "engine/tensor/ragged_batch.h"

namespace bert {

bool all_finite(std::span<const float> values);

// Throws Error(kNonFinite). what: describes the numbers: "the pooled output".
[[noreturn]] void refuse_not_finite(const RaggedBatch& batch, size_t sequence, const std::string& what);

// Throw that Error for the first sequence with NaN or infinity.
void check_finite(const RaggedBatch& batch, ConstMatrixView hidden, ThreadPool& pool);  // [tokens, hidden]
void check_pooled_finite(const RaggedBatch& batch, ConstMatrixView pooled);             // [sequences, hidden]

}  // namespace bert
