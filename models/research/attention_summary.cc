// The entropy of every head of every layer, and where its weights go.
#include <algorithm>
#include <cmath>

#include "analysis/attention.h"
#include "bert/experiments.h"
#include "models/research/layer_states.h"

namespace bert {
namespace {

double max_local_entropy(const std::vector<size_t>& places, size_t window) {
  double sum = 0;
  for (const size_t query : places) {
    const auto seen = std::count_if(places.begin(), places.end(),
                                    [&](size_t key) { return std::max(query, key) - std::min(query, key) <= window; });
    sum += std::log2(static_cast<double>(seen));
  }
  return sum / static_cast<double>(places.size());
}

}  // namespace

AttentionSummary summarize_attention(const Model& model, const Encoding& encoding) {
  if (model.config().attention_layers() == 0) {
    throw Error(ErrorCode::kNotFound, "the model has no attention: it has no layers");
  }
  const TokenSequence sequence = model.sequence(encoding);
  const std::vector<uint8_t> special_tokens = special_places(encoding);
  AttentionSummary result;
  result.weights = model.encode({&sequence, 1}, {.attentions = true}).front().attentions;
  const std::vector<size_t> places = attended_places(encoding);
  result.heads = model.config().num_attention_heads;
  result.tokens = places.size();
  std::vector<uint8_t> special;
  for (const size_t place : places) special.push_back(special_tokens[place]);
  const size_t size = result.tokens * result.tokens;
  for (size_t at = 0; at < result.weights.size(); at += size) {
    result.summaries.push_back(
        analysis::summarize_head(std::span<const float>(result.weights).subspan(at, size), special, result.tokens));
  }
  result.max_entropy_bits = std::log2(static_cast<double>(result.tokens));
  result.window = window_within(model.config(), places);
  if (result.window) result.max_local_entropy_bits = max_local_entropy(places, *result.window);
  return result;
}

}  // namespace bert
