#include "tools/cli/commands/vector_score.h"

#include "tools/cli/output/sparse_writer.h"
#include "tools/cli/run/run_summary.h"

namespace bert::cli {
namespace {

std::string name_of(const Model& model, const KindOptions& chosen) {
  if (chosen.kinds.size() > 1) return "hybrid";
  if (chosen.is_only(VectorKind::kTokens)) return Reranker(model).score_name();
  return std::string(name(chosen.is_dense() ? model.similarity() : model.sparse().similarity));
}

}  // namespace

VectorScore::VectorScore(const Model& model, const EmbedOptions& embed, const KindOptions& chosen, Console& console)
    : request_(vector_request(embed, chosen)), score_(model, kind_weights(chosen)), name_(name_of(model, chosen)) {
  if (request_.dense) settle_pooling(model, *request_.dense, console);
  if (request_.sparse) settle_sparse(model, *request_.sparse, console);
  model.prompt(request_);  // throws for what cannot be made
}

}  // namespace bert::cli
