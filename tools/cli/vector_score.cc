#include "tools/cli/vector_score.h"

#include <utility>

#include "bert/tasks.h"
#include "tools/cli/run_summary.h"
#include "tools/cli/sparse_writer.h"

namespace bert::cli {

VectorScore::VectorScore(const Model& model, const EmbedOptions& embed, const KindOptions& chosen, Console& console)
    : model_(model), weights_(kind_weights(chosen)) {
  const bool is_sparse = chosen.is_only(VectorKind::kSparse);
  if (chosen.is_dense() || chosen.has(VectorKind::kDense)) settle_pooling(model, embed, console);
  SparseSettings sparse;
  if (chosen.has(VectorKind::kSparse)) sparse = settle_sparse(model, sparse_options(embed, chosen), console);
  if (chosen.is_dense() || is_sparse) {
    function_ = is_sparse ? sparse.similarity : model.similarity();
    name_ = bert::name(*function_);
    task_ = is_sparse ? TextTask(sparse_options(embed, chosen)) : TextTask(embed);
    return;
  }
  const VectorKinds kinds = vector_kinds(embed, chosen);
  prompt(model, kinds);  // refuses what cannot be made
  task_ = kinds;
  name_ = chosen.is_only(VectorKind::kTokens) ? Reranker(model).score_name() : "hybrid";
}

double VectorScore::score(const TextVectors& query, const TextVectors& document) const {
  if (!function_) return hybrid_score(model_, query, document, weights_);
  return std::holds_alternative<SparseOptions>(task_) ? similarity(*function_, query.sparse, document.sparse)
                                                      : similarity(*function_, query.dense, document.dense);
}

TextVectors take_vectors(TextResult& result) {
  return {std::move(result.embedding), std::move(result.sparse), std::move(result.token_vectors)};
}

}  // namespace bert::cli
