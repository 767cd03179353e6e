// How the vectors of two texts are compared, by the kinds that --kind names: the similarity of one kind, or the mean of
// several. Immutable.
#pragma once

#include <optional>
#include <string>

#include "bert/text_pipeline.h"
#include "bert/vector_kinds.h"
#include "tools/cli/console.h"
#include "tools/cli/pooling_options.h"

namespace bert::cli {

class VectorScore {
 public:
  // Prints what the model's files leave open. The model outlives it. Throws the error that prevents the kinds.
  VectorScore(const Model& model, const EmbedOptions& embed, const KindOptions& chosen, Console& console);

  const TextTask& task() const { return task_; }
  double score(const TextVectors& query, const TextVectors& document) const;
  // "cosine" or another similarity, "maxsim", "meanmaxsim", "hybrid".
  const std::string& name() const { return name_; }

 private:
  const Model& model_;
  TextTask task_;
  KindWeights weights_;
  std::optional<SimilarityFunction> function_;  // of dense or sparse vectors alone
  std::string name_;
};

// The vectors of a result, which it loses.
TextVectors take_vectors(TextResult& result);

}  // namespace bert::cli
