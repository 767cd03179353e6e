// A VectorRequest with its choices made and checked for one model, and its vectors. A further kind of vectors is a
// member of VectorRequest and of TextVectors, one here with its settings, and a function of a forward pass.
// Functions throw Error(kNonFinite) for a NaN or an infinity, and what Model::check throws.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bert/model.h"
#include "models/encoder/forward_pass.h"
#include "models/sentence/pooling.h"

namespace bert {

struct DenseKind {
  std::optional<PoolingMode> pooling;  // in place of the model's own
  Normalizing normalizing = Normalizing::kNever;
  size_t size = 0;  // of a vector
  bool operator==(const DenseKind&) const = default;
};

struct SparseKind {
  std::optional<size_t> max_active;
  bool operator==(const SparseKind&) const = default;
};

struct ResolvedRequest {
  std::optional<DenseKind> dense = {};
  std::optional<SparseKind> sparse = {};
  bool tokens = false;
  std::optional<ChunkOptions> chunks = {};
  std::string prompt = {};            // goes before each text
  std::optional<TextRole> role = {};  // a text is tokenised as it says; for token vectors alone

  bool has_same_kinds(const ResolvedRequest& other) const {
    return dense == other.dense && sparse == other.sparse && tokens == other.tokens;
  }
};

// Throws Error for what fails for every text: kInvalidArgument for no kind and for two prompts, kUnsupported for token
// vectors of texts of their own without a role and for a model that cannot make chunks' vectors, and the errors of
// Model::pooling, Model::sparse and token_vector_settings.
ResolvedRequest resolve(const Model& model, const VectorRequest& request);

// The vectors of texts in chunks: [batch], each with its vectors and `chunks`.
std::vector<TextVectors> vectors_of_chunks(const Model& model, const DenseKind& kind,
                                           std::span<const TokenSequence> batch,
                                           std::span<const std::vector<TextChunk>> chunks);

// The vectors of ids, which include the prompt. roles: one for each sequence, for token vectors.
std::vector<TextVectors> vectors_of(const Model& model, const ResolvedRequest& request,
                                    std::span<const TokenSequence> batch, std::span<const TextRole> roles);

// The prompt of this name, or this text; the default prompt if neither is given. Throws Error for both, and for an
// unknown name.
std::string chosen_prompt(const Model& model, const std::optional<std::string>& name,
                          const std::optional<std::string>& text);

DenseKind resolve(const Model& model, const EmbedOptions& options);
// vectors: [batch, kind.size]
void dense_vectors(const Model& model, const DenseKind& kind, std::span<const TokenSequence> batch, MatrixView vectors);
// The same of a pass, after run() if the model's modules read tokens.
void dense_vectors(const Model& model, const DenseKind& kind, ForwardPass& pass, MatrixView vectors);
// Why a dense vector, before it is normalised and cut, is no sum of terms of tokens and a constant one; "" if it is.
std::string not_additive(const Model& model, const DenseKind& kind);
// These terms: [batch], of each [tokens that are not masked + 1, before the cut], the constant one last.
std::vector<Matrix> dense_terms(const Model& model, const DenseKind& kind, std::span<const TokenSequence> batch);

// [sequences]. pass: after run() if runs_for_sparse().
std::vector<SparseVector> sparse_vectors(const Model& model, const SparseKind& kind, ForwardPass& pass);
bool runs_for_sparse(const Model& model);  // false: from the ids alone

// A text that was tokenised by its role, as input of the encoder; a view of the encoding.
TokenSequence sequence_by_role(const Model& model, const Encoding& encoding, size_t unattended);

// [sequences]. pass: after run(). The model makes_token_vectors().
std::vector<TokenVectors> token_vectors(const Model& model, ForwardPass& pass, std::span<const TextRole> roles);

}  // namespace bert
