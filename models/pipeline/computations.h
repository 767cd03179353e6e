// The kinds of output, with a class for each. To add a kind, add its class here, an overload below, and its alternative
// of TextTask. Functions throw Error if every text would fail.
#pragma once

#include <memory>
#include <variant>

#include "models/pipeline/computation.h"

namespace bert {

using ComputationPtr = std::unique_ptr<const Computation>;

// For tokens alone.
ComputationPtr computation_of(const Model& model, std::monostate, const TextRules& rules);
ComputationPtr computation_of(const Tokenizer& tokenizer, const TextRules& rules);
// For the encoder's outputs of each token.
ComputationPtr computation_of(const Model& model, const EncodeOptions& outputs, const TextRules& rules);
// For a dense or sparse vector of each text, or vectors of its tokens; or, if the request has chunks, of each chunk.
ComputationPtr computation_of(const Model& model, const VectorRequest& request, const TextRules& rules);
// For a head's logits; for the score of a pair if the reranker is a language model.
ComputationPtr computation_of(const Model& model, const HeadOptions& head, const TextRules& rules);
// For a task that a folder above the core provides.
ComputationPtr computation_of(const Model& model, const ModelTaskPtr& task, const TextRules& rules);

}  // namespace bert
