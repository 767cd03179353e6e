// Computes what the embedding of each token consists of, and how far each layer moves it.
#include "bert/experiments.h"
#include "tasks/research/layer_states.h"

namespace bert {
namespace {

using analysis::Rows;

std::optional<EmbeddingShare> share_of(const std::vector<float>& values, const EmbeddingParts& parts, size_t token) {
  if (values.empty()) return std::nullopt;
  const std::span<const float> part = Rows{values, parts.hidden}[token];
  const std::span<const float> sum = Rows{parts.sum, parts.hidden}[token];
  const double squares = analysis::dot(sum, sum);
  return EmbeddingShare{analysis::norm(part), squares > 0 ? analysis::dot(part, sum) / squares : 0,
                        analysis::cosine(part, sum)};
}

}  // namespace

std::vector<TokenComposition> token_compositions(const Model& model, const TokenSequence& sequence) {
  const EncodedSequence encoded = model.encode({&sequence, 1}, {.hidden_states = true}).front();
  const EmbeddingParts parts = embedding_parts(model, sequence);
  std::vector<TokenComposition> tokens(parts.tokens);
  for (size_t t = 0; t < parts.tokens; ++t) {
    TokenComposition& token = tokens[t];
    token.word = share_of(parts.word, parts, t);
    token.position = share_of(parts.position, parts, t);
    token.segment = share_of(parts.segment, parts, t);
    const std::span<const float> sum = Rows{parts.sum, parts.hidden}[t];
    const std::span<const float> normalized = Rows{parts.normalized, parts.hidden}[t];
    token.sum_norm = analysis::norm(sum);
    token.normalized_norm = analysis::norm(normalized);
    token.normalized_cosine = analysis::cosine(sum, normalized);
    for (size_t layer = 1; layer < layer_count(encoded); ++layer) {
      token.moved.push_back(
          analysis::relative_distance(layer_rows(encoded, layer - 1)[t], layer_rows(encoded, layer)[t]));
    }
  }
  return tokens;
}

}  // namespace bert
