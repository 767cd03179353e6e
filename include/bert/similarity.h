// How similar two vectors are. Stateless.
#pragma once

#include <span>
#include <string_view>

#include "bert/export.h"
#include "bert/vector_request.h"

namespace bert {

// Cosine of two vectors of equal size, summed in float64: -1 to 1. 0 if one of them is all zeros.
BERT_API double cosine_similarity(std::span<const float> a, std::span<const float> b);

// The same by any function, summed in float64.
BERT_API double similarity(SimilarityFunction function, std::span<const float> a, std::span<const float> b);
// The similarity of sparse vectors. Throws Error(kInvalidArgument) where ids do not ascend or are not as many as the
// weights.
BERT_API double similarity(SimilarityFunction function, const SparseVector& a, const SparseVector& b);
BERT_API std::string_view name(
    SimilarityFunction function);  // as in the files: "cosine", "dot", "euclidean", "manhattan"

}  // namespace bert
