// The kinds of output, a file for each. A further kind is a file here, an overload below, and its alternative of
// TextTask. Functions throw Error for what fails for every text.
#pragma once

#include <memory>
#include <variant>

#include "models/pipeline/computation.h"

namespace bert {

using ComputationPtr = std::unique_ptr<const Computation>;

// Nothing but the tokens.
ComputationPtr computation_of(const Model& model, std::monostate, const TextRules& rules);
ComputationPtr computation_of(const Tokenizer& tokenizer, const TextRules& rules);
// The encoder's outputs for each token.
ComputationPtr computation_of(const Model& model, const EncodeOptions& outputs, const TextRules& rules);
// A vector of each text, a sparse one, or its tokens'; of each of its chunks, where the request has them.
ComputationPtr computation_of(const Model& model, const VectorRequest& request, const TextRules& rules);
ComputationPtr chunk_vectors(const Model& model, const VectorRequest& request, const TextRules& rules);
// What a head gives; the score of a pair where a language model is the reranker.
ComputationPtr computation_of(const Model& model, const HeadOptions& head, const TextRules& rules);
// What a task of a folder above the core brings.
ComputationPtr computation_of(const Model& model, const ModelTaskPtr& task, const TextRules& rules);

}  // namespace bert
