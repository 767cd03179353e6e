#include "models/model/resolved_request.h"

#include <map>
#include <utility>

#include "bert/token_vectors.h"
#include "engine/base/quote.h"
#include "models/model/model_impl.h"

namespace bert {
namespace {

// Throws if the tokens of a text depend on its role.
void check_shared_tokens(const Model& model) {
  const TokenVectorSettings settings = token_vector_settings(model);
  const bool alike = settings.query.prompt.empty() && settings.document.prompt.empty() &&
                     settings.query.expanded_length == 0 &&
                     settings.query.skipped_words == settings.document.skipped_words &&
                     settings.query.max_length == settings.document.max_length;
  if (alike) return;
  throw Error(ErrorCode::kUnsupported,
              ModelAccess::impl(model).model_named() +
                  " reads queries and documents differently, expected token vectors alone, with a role");
}

std::string role_prompt(const Model& model, TextRole role) {
  const std::map<std::string, std::string>& prompts = ModelAccess::impl(model).text.sentence.prompts;
  for (const std::string_view name : prompt_names(role)) {
    if (const auto prompt = prompts.find(std::string(name)); prompt != prompts.end()) return prompt->second;
  }
  return "";
}

void check_chunks(const Model& model, const VectorRequest& request) {
  const Model::Impl& impl = ModelAccess::impl(model);
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorCode::kUnsupported, "chunks of a text: " + what);
  };
  if (!request.dense || request.sparse || request.tokens)
    refuse("they have dense vectors alone, expected no other kind");
  if (!impl.sentence.modules.reads_tokens()) refuse(impl.model_named() + " is static: no token sees another");
  if (impl.config.causal_attention) {
    refuse("the attention of " + impl.model_named() + " is causal: a chunk's tokens would not see what follows");
  }
  for (const PoolingMode mode : model.pooling(*request.dense).modes) {
    if (mode == PoolingMode::kCls || mode == PoolingMode::kLastToken || mode == PoolingMode::kPooler) {
      refuse("pooling " + std::string(name(mode)) +
             " reads one token of the text, expected one over all tokens: mean, " +
             "max, mean_sqrt_len_tokens or weightedmean");
    }
  }
}

// Returns the request's own prompt, else that of one of its kinds, else its role's or the default prompt.
std::string prompt_of(const Model& model, const VectorRequest& request) {
  if (request.prompt || request.prompt_text) return chosen_prompt(model, request.prompt, request.prompt_text);
  const auto own = [&](const auto& kind) -> std::optional<std::string> {
    if (!kind || (!kind->prompt && !kind->prompt_text)) return std::nullopt;
    return chosen_prompt(model, kind->prompt, kind->prompt_text);
  };
  const std::optional<std::string> dense = own(request.dense), sparse = own(request.sparse);
  if (dense && sparse && *dense != *sparse) {
    throw Error(ErrorCode::kInvalidArgument, "prompts " + quote(*dense, 60) + " for dense and " + quote(*sparse, 60) +
                                                 " for sparse vectors, expected the same");
  }
  if (dense || sparse) return dense ? *dense : *sparse;
  return request.role ? role_prompt(model, *request.role) : model.prompt();
}

}  // namespace

std::string chosen_prompt(const Model& model, const std::optional<std::string>& name,
                          const std::optional<std::string>& text) {
  if (!text) return model.prompt(name);
  if (!name) return *text;
  throw Error(ErrorCode::kInvalidArgument, "prompt " + quote(*name, 60) + " and the prompt text " + quote(*text, 60) +
                                               " given, expected one of them");
}

ResolvedRequest resolve(const Model& model, const VectorRequest& request) {
  if (!request.dense && !request.sparse && !request.tokens) {
    throw Error(ErrorCode::kInvalidArgument, "no kind of vectors, expected dense, sparse or tokens");
  }
  ResolvedRequest resolved{.tokens = request.tokens};
  if (request.tokenizes_by_role()) {
    token_vector_settings(model);  // throws for another model
    if (!chosen_prompt(model, request.prompt, request.prompt_text ? request.prompt_text : "").empty()) {
      throw Error(ErrorCode::kInvalidArgument, "a prompt given, expected none: the model has its own for each role");
    }
    resolved.role = request.role;
    return resolved;
  }
  resolved.prompt = prompt_of(model, request);
  if (request.dense) {
    EmbedOptions dense = *request.dense;
    dense.prompt.reset();
    dense.prompt_text = resolved.prompt;
    resolved.dense = resolve(model, dense);
  }
  if (request.sparse) {
    resolved.sparse = {
        model.sparse({.max_active = request.sparse->max_active, .prompt_text = resolved.prompt}).max_active};
  }
  if (request.tokens) check_shared_tokens(model);
  if (request.chunks) check_chunks(model, request);
  resolved.chunks = request.chunks;
  return resolved;
}

std::vector<TextVectors> vectors_of_chunks(const Model& model, const DenseKind& kind,
                                           std::span<const TokenSequence> batch,
                                           std::span<const std::vector<TextChunk>> chunks) {
  std::vector<TextVectors> results(batch.size());
  ForwardPass pass = ModelAccess::forward_pass(model, batch);
  std::vector<RowRange> rows;
  for (size_t i = 0; i < batch.size(); ++i) {
    const size_t start = pass.batch().row_starts[i];
    for (const TextChunk& chunk : chunks[i]) rows.push_back({start + chunk.first_token, chunk.tokens});
  }
  if (rows.empty()) return results;
  pass.run();
  Matrix whole = ModelAccess::impl(model).sentence.modules.forward(pass, kind.pooling, rows);
  Matrix vectors(rows.size(), kind.size);
  finish_vectors(whole.view(), kind.normalizing, vectors.view());
  const float* next = vectors.view().data;
  for (size_t i = 0; i < batch.size(); ++i) {
    const size_t floats = chunks[i].size() * kind.size;
    results[i].dense.assign(next, next + floats);
    results[i].chunks = chunks[i];
    next += floats;
  }
  return results;
}

std::vector<TextVectors> vectors_of(const Model& model, const ResolvedRequest& request,
                                    std::span<const TokenSequence> batch, std::span<const TextRole> roles) {
  std::vector<TextVectors> results(batch.size());
  const auto store = [&]<class Kind>(std::vector<Kind> vectors, Kind TextVectors::*member) {
    for (size_t i = 0; i < results.size(); ++i) results[i].*member = std::move(vectors[i]);
  };
  Matrix dense(request.dense ? batch.size() : 0, request.dense ? request.dense->size : 0);
  if (request.dense && !request.sparse && !request.tokens) {
    dense_vectors(model, *request.dense, batch, dense.view());
  } else {
    ForwardPass pass = ModelAccess::forward_pass(model, batch);
    if (request.dense || request.tokens || runs_for_sparse(model)) pass.run();
    if (request.dense) dense_vectors(model, *request.dense, pass, dense.view());
    if (request.sparse) store(sparse_vectors(model, *request.sparse, pass), &TextVectors::sparse);
    if (request.tokens) store(token_vectors(model, pass, roles), &TextVectors::tokens);
  }
  for (size_t i = 0; i < dense.view().rows; ++i) {
    const float* row = dense.view().row(i);
    results[i].dense.assign(row, row + dense.view().cols);
  }
  return results;
}

std::string Model::prompt(const VectorRequest& request) const { return resolve(*this, request).prompt; }

std::vector<TextVectors> Model::vectors(std::span<const TokenSequence> batch, const VectorRequest& request) const {
  VectorRequest of_ids = request;
  // A default prompt is only put before texts.
  if (!of_ids.prompt && !of_ids.prompt_text && !of_ids.role) of_ids.prompt_text = "";
  if (request.chunks) throw Error(ErrorCode::kInvalidArgument, "chunks of ids, expected texts");
  const std::vector<TextRole> roles(batch.size(), request.role.value_or(TextRole::kDocument));
  return vectors_of(*this, resolve(*this, of_ids), batch, roles);
}

}  // namespace bert
