// Computes the entropy of every head of every layer, and where its weights go.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "bert/experiments.h"
#include "engine/base/joined.h"
#include "tasks/analysis/attention.h"
#include "tasks/research/layer_states.h"

namespace bert {
namespace {

// Returns the mean over the queries of the entropy of uniform weights on the tokens that a query sees.
double max_entropy(const std::vector<size_t>& places, const std::vector<size_t>& queries, bool is_causal,
                   size_t window) {
  double sum = 0;
  for (const size_t query : queries) {
    const auto seen = std::count_if(places.begin(), places.end(), [&](size_t key) {
      const size_t place = places[query];
      return key <= place ? place - key <= window : !is_causal && key - place <= window;
    });
    sum += std::log2(static_cast<double>(seen));
  }
  return sum / static_cast<double>(queries.size());
}

void check_queries(std::span<const size_t> queries, size_t tokens) {
  for (size_t i = 0; i < queries.size(); ++i) {
    if (queries[i] >= tokens) {
      refuse_argument("query " + std::to_string(queries[i]) + ", expected 0 to " + std::to_string(tokens - 1) +
                      ": the text has " + number_of(tokens, "token"));
    }
    if (i > 0 && queries[i] <= queries[i - 1]) {
      refuse_argument("query " + std::to_string(queries[i]) + " after " + std::to_string(queries[i - 1]) +
                      ", expected ascending order, each once");
    }
  }
}

// Keeps only these queries' rows of [matrices, tokens (query), tokens (key)].
void keep_queries(std::vector<float>& weights, std::span<const size_t> queries, size_t tokens) {
  auto end = weights.begin();
  for (size_t matrix = 0; matrix < weights.size(); matrix += tokens * tokens) {
    for (const size_t query : queries) {
      const auto row = weights.begin() + static_cast<std::ptrdiff_t>(matrix + query * tokens);
      end = std::copy(row, row + static_cast<std::ptrdiff_t>(tokens), end);
    }
  }
  weights.erase(end, weights.end());
  weights.shrink_to_fit();
}

}  // namespace

AttentionSummary summarize_attention(const Model& model, const Encoding& encoding, std::span<const size_t> queries) {
  if (model.config().attention_layers() == 0) {
    throw Error(ErrorCode::kNotFound, "the model has no attention: it has no layers");
  }
  const TokenSequence sequence = model.sequence(encoding);
  const std::vector<uint8_t> special_tokens = special_places(encoding);
  const std::vector<size_t> places = attended_places(encoding);
  check_queries(queries, places.size());
  AttentionSummary result;
  result.weights = model.encode({&sequence, 1}, {.attentions = true}).front().attentions;
  result.heads = model.config().num_attention_heads;
  result.tokens = places.size();
  result.queries.assign(queries.begin(), queries.end());
  if (queries.empty()) {
    result.queries.resize(result.tokens);
    std::iota(result.queries.begin(), result.queries.end(), size_t{0});
  } else {
    keep_queries(result.weights, queries, result.tokens);
  }
  std::vector<uint8_t> special;
  for (const size_t place : places) special.push_back(special_tokens[place]);
  const size_t size = result.queries.size() * result.tokens;
  for (size_t at = 0; at < result.weights.size(); at += size) {
    result.summaries.push_back(
        analysis::summarize_head(std::span<const float>(result.weights).subspan(at, size), special, result.queries));
  }
  result.is_causal = model.config().causal_attention;
  result.max_entropy_bits = max_entropy(places, result.queries, result.is_causal, places.back());
  result.window = window_within(model.config(), places);
  if (result.window) {
    result.max_local_entropy_bits = max_entropy(places, result.queries, result.is_causal, *result.window);
  }
  return result;
}

}  // namespace bert
