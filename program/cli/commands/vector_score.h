// How the vectors of two texts are compared: by the similarity of the kind that --kind names, or the mean of several
// kinds.
#pragma once

#include "bert/tasks.h"
#include "program/cli/options/pooling_options.h"
#include "program/cli/output/console.h"

namespace bert::cli {

// Makes the score, and prints what the model's files do not specify. The model must outlive it. Throws the error of a
// kind that the model cannot make.
Reranker vector_score(const Model& model, const EmbedOptions& embed, const KindOptions& chosen, Console& console);

}  // namespace bert::cli
