// A VectorRequest with its choices made and checked for one model, and functions that compute its vectors. To add a
// kind of vectors, add a member to VectorRequest and to TextVectors, a member with its settings here, and a function of
// a forward pass. Functions throw Error(kNonFinite) for a NaN or an infinity, and what Model::check throws.
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
  std::optional<PoolingMode> pooling;  // instead of the model's own
  Normalizing normalizing = Normalizing::kNever;
  size_t size = 0;  // numbers of a vector
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
  std::string prompt = {};            // put before each text
  std::optional<TextRole> role = {};  // how a text is tokenised; only for token vectors

  bool has_same_kinds(const ResolvedRequest& other) const {
    return dense == other.dense && sparse == other.sparse && tokens == other.tokens;
  }
};

// Throws Error if every text would fail: kInvalidArgument for no kind and for two prompts; kUnsupported for a model
// that cannot make chunks' vectors, and, if the model reads queries and documents differently, for token vectors
// without a role or beside other kinds; and the errors of Model::pooling, Model::sparse and token_vector_settings.
ResolvedRequest resolve(const Model& model, const VectorRequest& request);

// Computes the vectors of texts in chunks: [batch], each with its vectors and `chunks`.
std::vector<TextVectors> vectors_of_chunks(const Model& model, const DenseKind& kind,
                                           std::span<const TokenSequence> batch,
                                           std::span<const std::vector<TextChunk>> chunks);

// Returns the vectors of each sequence of ids. The ids include the prompt. roles: the role of each sequence; only token
// vectors use it.
std::vector<TextVectors> vectors_of(const Model& model, const ResolvedRequest& request,
                                    std::span<const TokenSequence> batch, std::span<const TextRole> roles);

// Returns the prompt named `name`, or `text`; the default prompt if neither is given. Throws Error if both are given,
// and for an unknown name.
std::string chosen_prompt(const Model& model, const std::optional<std::string>& name,
                          const std::optional<std::string>& text);

DenseKind resolve(const Model& model, const EmbedOptions& options);
// vectors: [batch, kind.size]
void dense_vectors(const Model& model, const DenseKind& kind, std::span<const TokenSequence> batch, MatrixView vectors);
// Computes the vectors of a pass; call it after run() if the model's modules read tokens.
void dense_vectors(const Model& model, const DenseKind& kind, ForwardPass& pass, MatrixView vectors);
// Returns why a dense vector, before it is normalised and cut, is not a sum of one term per token and a constant term;
// "" if it is.
std::string not_additive(const Model& model, const DenseKind& kind);
// Returns these terms: [batch], each [unmasked tokens + 1, numbers before the cut], the constant term last.
std::vector<Matrix> dense_terms(const Model& model, const DenseKind& kind, std::span<const TokenSequence> batch);

// Computes sparse vectors, [sequences]. pass: after run() if runs_for_sparse().
std::vector<SparseVector> sparse_vectors(const Model& model, const SparseKind& kind, ForwardPass& pass);
bool runs_for_sparse(const Model& model);  // false: they are computed from the ids alone

// Returns a text that was tokenised by its role as the encoder's input; a view of the encoding.
TokenSequence sequence_by_role(const Model& model, const Encoding& encoding, size_t unattended);

// Computes token vectors, [sequences]. pass: after run(). Requires makes_token_vectors(model).
std::vector<TokenVectors> token_vectors(const Model& model, ForwardPass& pass, std::span<const TextRole> roles);

}  // namespace bert
