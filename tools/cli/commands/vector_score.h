// How the vectors of two texts are compared, by the kinds that --kind names: the similarity of one kind, or the mean of
// several. Immutable.
#pragma once

#include <string>

#include "bert/tasks.h"
#include "tools/cli/options/pooling_options.h"
#include "tools/cli/output/console.h"

namespace bert::cli {

class VectorScore {
 public:
  // Prints what the model's files leave open. The model outlives it. Throws the error that prevents the kinds.
  VectorScore(const Model& model, const EmbedOptions& embed, const KindOptions& chosen, Console& console);

  const VectorRequest& request() const { return request_; }
  double score(const TextVectors& query, const TextVectors& document) const { return score_.score(query, document); }
  // "cosine" or another similarity, "maxsim", "meanmaxsim", "hybrid".
  const std::string& name() const { return name_; }

 private:
  VectorRequest request_;
  HybridScore score_;
  std::string name_;
};

}  // namespace bert::cli
