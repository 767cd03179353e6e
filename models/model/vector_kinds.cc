// Several kinds of vectors from one forward pass, and their score.
#include "bert/vector_kinds.h"

#include <algorithm>
#include <utility>

#include "bert/vectors.h"
#include "engine/base/quote.h"
#include "models/model/model_impl.h"
#include "models/model/pass_vectors.h"

namespace bert {
namespace {

// Throws if a text's tokens depend on its role.
void check_shared_tokens(const Model& model) {
  const TokenVectorSettings settings = token_vector_settings(model);
  const bool alike = settings.query.prompt.empty() && settings.document.prompt.empty() &&
                     settings.query.expanded_length == 0 &&
                     settings.query.skipped_words == settings.document.skipped_words &&
                     settings.query.max_length == settings.document.max_length;
  if (alike) return;
  throw Error(ErrorCode::kUnsupported,
              ModelAccess::impl(model).model_named() +
                  " reads queries and documents differently, expected a request for token vectors alone, with a role");
}

void check_weight(double weight, bool is_there, const char* kind) {
  if (weight < 0) {
    throw Error(ErrorCode::kInvalidArgument,
                "a weight of " + std::to_string(weight) + " for " + kind + " vectors, expected 0 or more");
  }
  if (weight > 0 && !is_there) {
    throw Error(
        ErrorCode::kInvalidArgument,
        std::string("a weight for ") + kind + " vectors, which a text does not have, expected them or a weight of 0");
  }
}

double token_score(const Model& model, const TokenVectors& query, const TokenVectors& document) {
  const double score = MaxSim(1).score(query.values, document.values, query.size);
  const bool is_mean = token_vector_settings(model).mean_score;
  return is_mean ? score / static_cast<double>(std::max<size_t>(query.tokens.size(), 1)) : score;
}

}  // namespace

std::string prompt(const Model& model, const VectorKinds& kinds) {
  if (!kinds.dense && !kinds.sparse && !kinds.tokens) {
    throw Error(ErrorCode::kInvalidArgument, "no kind of vectors requested, expected dense, sparse or tokens");
  }
  std::string before;
  if (kinds.dense) {
    model.pooling(*kinds.dense);
    before = model.prompt(*kinds.dense);
  }
  if (kinds.sparse) {
    model.sparse(*kinds.sparse);
    const std::string of_sparse =
        model.prompt({.prompt = kinds.sparse->prompt, .prompt_text = kinds.sparse->prompt_text});
    if (kinds.dense && of_sparse != before) {
      throw Error(ErrorCode::kInvalidArgument, "prompts " + quote(before, 60) + " for dense and " +
                                                   quote(of_sparse, 60) + " for sparse vectors, expected the same");
    }
    before = of_sparse;
  }
  if (kinds.tokens) check_shared_tokens(model);
  return before;
}

std::vector<TextVectors> embed(const Model& model, std::span<const TokenSequence> batch, const VectorKinds& kinds) {
  prompt(model, kinds);
  std::vector<TextVectors> results(batch.size());
  ForwardPass pass = ModelAccess::impl(model).forward_pass(batch);
  if (kinds.dense || kinds.tokens || runs_for_sparse(model)) pass.run();
  if (kinds.dense) {
    Matrix vectors(batch.size(), model.embedding_size(*kinds.dense));
    dense_vectors(model, pass, *kinds.dense, vectors.view());
    for (size_t i = 0; i < results.size(); ++i) {
      const float* row = vectors.view().row(i);
      results[i].dense.assign(row, row + vectors.view().cols);
    }
  }
  if (kinds.sparse) {
    std::vector<SparseVector> vectors = sparse_vectors(model, pass, *kinds.sparse);
    for (size_t i = 0; i < results.size(); ++i) results[i].sparse = std::move(vectors[i]);
  }
  if (kinds.tokens) {
    std::vector<TokenVectors> vectors = token_vectors(model, pass, TextRole::kDocument);
    for (size_t i = 0; i < results.size(); ++i) results[i].tokens = std::move(vectors[i]);
  }
  return results;
}

double hybrid_score(const Model& model, const TextVectors& query, const TextVectors& document,
                    const KindWeights& weights) {
  check_weight(weights.dense, !query.dense.empty() && !document.dense.empty(), "dense");
  check_weight(weights.sparse, true, "sparse");
  check_weight(weights.tokens, query.tokens.size != 0 && document.tokens.size != 0, "token");
  const double total = weights.dense + weights.sparse + weights.tokens;
  if (!(total > 0)) throw Error(ErrorCode::kInvalidArgument, "no kind has a weight, expected one above 0");
  double sum = 0;
  if (weights.dense > 0) sum += weights.dense * similarity(model.similarity(), query.dense, document.dense);
  if (weights.sparse > 0) {
    sum += weights.sparse * similarity(model.sparse().similarity, query.sparse, document.sparse);
  }
  if (weights.tokens > 0) sum += weights.tokens * token_score(model, query.tokens, document.tokens);
  return sum / total;
}

}  // namespace bert
