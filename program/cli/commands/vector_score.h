// How the vectors of two texts are compared, by the kinds that --kind names: the similarity of one kind, or the mean of
// several.
#pragma once

#include "bert/tasks.h"
#include "program/cli/options/pooling_options.h"
#include "program/cli/output/console.h"

namespace bert::cli {

// Prints what the model's files leave open. The model outlives it. Throws the error that prevents the kinds.
Reranker vector_score(const Model& model, const EmbedOptions& embed, const KindOptions& chosen, Console& console);

}  // namespace bert::cli
