#include "program/cli/commands/vector_score.h"

#include "program/cli/output/embed_writer.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {

Reranker vector_score(const Model& model, const EmbedOptions& embed, const KindOptions& chosen, Console& console) {
  VectorRequest request = vector_request(embed, chosen);
  const Reranker score(model, request, kind_weights(chosen));
  if (request.dense) settle_pooling(model, *request.dense, console);
  if (request.sparse) settle_sparse(model, *request.sparse, console);
  model.prompt(request);  // throws for a prompt that cannot be made
  return score;
}

}  // namespace bert::cli
