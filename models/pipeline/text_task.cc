#include "models/pipeline/text_task.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace bert {
namespace {

constexpr size_t kBatchTokens = 2048;           // enough rows to share each weight that is read
constexpr size_t kBatchTokensWithLayers = 512;  // hidden states and attentions are many times larger
constexpr size_t kMostThreadsWithLess = 4;      // further threads do not make batches smaller

}  // namespace

size_t default_batch_tokens(const TextTask& task, size_t threads) {
  const auto* encode = std::get_if<EncodeOptions>(&task);
  const bool layers = encode != nullptr && (encode->hidden_states || encode->attentions);
  return (layers ? kBatchTokensWithLayers : kBatchTokens) / std::min(threads, kMostThreadsWithLess);
}

std::string check_task(const Model& model, const TextTask& task) {
  if (const auto* embed = std::get_if<EmbedOptions>(&task)) {
    model.pooling(*embed);
    return model.prompt(*embed);
  }
  if (const auto* sparse = std::get_if<SparseOptions>(&task)) {
    model.sparse(*sparse);
    return model.prompt({.prompt = sparse->prompt, .prompt_text = sparse->prompt_text});
  }
  if (const auto* kinds = std::get_if<VectorKinds>(&task)) return prompt(model, *kinds);
  if (const auto* head = std::get_if<HeadOptions>(&task)) model.require(head->head);
  if (role_of(task)) token_vector_settings(model);
  return "";
}

std::optional<TextRole> role_of(const TextTask& task) {
  if (const auto* options = std::get_if<TokenVectorOptions>(&task)) return options->role;
  return std::nullopt;
}

void run_task(const Model& model, const TextTask& task, std::span<const TokenSequence> batch,
              std::span<TextResult* const> results) {
  const auto give = [&]<class Output>(std::vector<Output> outputs, Output TextResult::*member) {
    for (size_t i = 0; i < results.size(); ++i) results[i]->*member = std::move(outputs[i]);
  };
  if (const auto* encode = std::get_if<EncodeOptions>(&task)) {
    give(model.encode(batch, *encode), &TextResult::encoded);
  } else if (const auto* embed = std::get_if<EmbedOptions>(&task)) {
    const std::vector<float> rows = model.embed(batch, *embed);
    const size_t size = rows.size() / results.size();
    for (size_t i = 0; i < results.size(); ++i) {
      const auto row = rows.begin() + static_cast<std::ptrdiff_t>(i * size);
      results[i]->embedding.assign(row, row + static_cast<std::ptrdiff_t>(size));
    }
  } else if (const auto* head = std::get_if<HeadOptions>(&task)) {
    give(model.logits(head->head, batch, head->logits), &TextResult::logits);
  } else if (const std::optional<TextRole> role = role_of(task)) {
    give(embed_tokens(model, batch, *role), &TextResult::token_vectors);
  } else if (const auto* sparse = std::get_if<SparseOptions>(&task)) {
    give(model.embed_sparse(batch, *sparse), &TextResult::sparse);
  } else if (const auto* kinds = std::get_if<VectorKinds>(&task)) {
    std::vector<TextVectors> vectors = bert::embed(model, batch, *kinds);
    for (size_t i = 0; i < results.size(); ++i) {
      results[i]->embedding = std::move(vectors[i].dense);
      results[i]->sparse = std::move(vectors[i].sparse);
      results[i]->token_vectors = std::move(vectors[i].tokens);
    }
  }
}

}  // namespace bert
