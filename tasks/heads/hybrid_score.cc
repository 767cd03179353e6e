#include <algorithm>

#include "bert/tasks.h"
#include "bert/token_vectors.h"

namespace bert {
namespace {

void check_weight(double weight, const char* kind) {
  if (weight >= 0) return;
  throw Error(ErrorCode::kInvalidArgument,
              "a weight of " + std::to_string(weight) + " for " + kind + " vectors, expected 0 or more");
}

void check_vectors(bool is_there, const char* kind) {
  if (is_there) return;
  throw Error(ErrorCode::kInvalidArgument, std::string("a weight for ") + kind +
                                               " vectors, which a text does not have, expected them or a weight of 0");
}

}  // namespace

HybridScore::HybridScore(const Model& model, const KindWeights& weights) : weights_(weights) {
  check_weight(weights.dense, "dense");
  check_weight(weights.sparse, "sparse");
  check_weight(weights.tokens, "token");
  if (!(weights.dense + weights.sparse + weights.tokens > 0)) {
    throw Error(ErrorCode::kInvalidArgument, "no kind has a weight, expected one above 0");
  }
  if (weights.dense > 0) dense_ = model.similarity();
  if (weights.sparse > 0) sparse_ = model.sparse().similarity;
  if (weights.tokens > 0) is_mean_ = token_vector_settings(model).mean_score;
}

double HybridScore::score(const TextVectors& query, const TextVectors& document) const {
  double sum = 0;
  if (weights_.dense > 0) {
    check_vectors(!query.dense.empty() && !document.dense.empty(), "dense");
    sum += weights_.dense * similarity(dense_, query.dense, document.dense);
  }
  if (weights_.sparse > 0) sum += weights_.sparse * similarity(sparse_, query.sparse, document.sparse);
  if (weights_.tokens > 0) {
    check_vectors(query.tokens.size != 0 && document.tokens.size != 0, "token");
    sum += weights_.tokens * token_score(query.tokens.values, document.tokens.values, query.tokens.size);
  }
  return sum / (weights_.dense + weights_.sparse + weights_.tokens);
}

double HybridScore::token_score(std::span<const float> query, std::span<const float> document, size_t size) const {
  const double score = max_sim_.score(query, document, size);
  return is_mean_ ? score / static_cast<double>(std::max<size_t>(query.size() / std::max<size_t>(size, 1), 1)) : score;
}

}  // namespace bert
