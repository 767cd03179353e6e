// Similarity functions of two vectors. Stateless.
#pragma once

#include <span>
#include <string_view>

#include "bert/export.h"
#include "bert/vector_request.h"

namespace bert {

// Cosine of two vectors of equal size, summed in float64: -1 to 1. 0 if one of them is all zeros.
BERT_API double cosine_similarity(std::span<const float> a, std::span<const float> b);

// The similarity of two vectors by any function, summed in float64.
BERT_API double similarity(SimilarityFunction function, std::span<const float> a, std::span<const float> b);
// The similarity of two sparse vectors. Throws Error(kInvalidArgument) if ids do not ascend or if there are not as many
// ids as weights.
BERT_API double similarity(SimilarityFunction function, const SparseVector& a, const SparseVector& b);
BERT_API std::string_view name(
    SimilarityFunction function);  // the name in the model's files: "cosine", "dot", "euclidean", "manhattan"

}  // namespace bert
