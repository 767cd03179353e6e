// Matches late interaction's vectors, token by token.
#include <algorithm>
#include <numeric>
#include <span>

#include "bert/experiments.h"
#include "bert/vectors.h"
#include "engine/base/quote.h"
#include "tasks/research/layer_states.h"

namespace bert {
namespace {

MaxSimMatches::Text vectors_of(const Model& model, std::string_view text, TextRole role) {
  RoleEncoding encoding = tokenize(model, text, role);
  const TokenSequence one = sequence(model, encoding);
  TokenVectors vectors = std::move(model.vectors({&one, 1}, {.tokens = true, .role = role}).front().tokens);
  return {std::move(encoding.encoding), std::move(vectors)};
}

}  // namespace

MaxSimMatches match_tokens(const Model& model, std::string_view query, std::string_view document) {
  MaxSimMatches result;
  result.query = vectors_of(model, query, TextRole::kQuery);
  result.document = vectors_of(model, document, TextRole::kDocument);
  result.is_mean = token_vector_settings(model).mean_score;
  const TokenVectors &of_query = result.query.vectors, &of_document = result.document.vectors;
  const size_t rows = of_query.tokens.size(), count = of_document.tokens.size(), size = of_query.size;
  if (count == 0) {
    refuse_argument("no token of the document has a vector: " + quote(document, document.size()));
  }
  std::vector<size_t> each(count + 1);  // every vector as a document
  std::iota(each.begin(), each.end(), size_t{0});
  result.products.resize(rows * count);
  const MaxSim max_sim(1);
  for (size_t i = 0; i < rows; ++i) {
    const std::span<double> row(result.products.data() + i * count, count);
    max_sim.scores({of_query.values.data() + i * size, size}, of_document.values, each, size, row);
    const auto best = std::max_element(row.begin(), row.end());
    result.matches.push_back(static_cast<size_t>(best - row.begin()));
    result.score += *best;
  }
  if (result.is_mean) result.score /= static_cast<double>(rows);
  return result;
}

}  // namespace bert
