// Vectors made of one forward pass, by embed.cc, embed_sparse.cc and embed_tokens.cc: each kind alone, or several of
// the same pass (vector_kinds.cc). They throw Error(kNonFinite).
#pragma once

#include <vector>

#include "bert/model.h"
#include "bert/token_vectors.h"
#include "models/encoder/forward_pass.h"

namespace bert {

// pass: after run() if the model's modules read tokens.   vectors: [sequences, model.embedding_size(options)]
void dense_vectors(const Model& model, ForwardPass& pass, const EmbedOptions& options, MatrixView vectors);

// [sequences]. pass: after run() if runs_for_sparse().
std::vector<SparseVector> sparse_vectors(const Model& model, ForwardPass& pass, const SparseOptions& options);
bool runs_for_sparse(const Model& model);  // false: from the ids alone

// [sequences]. pass: after run(). The model makes_token_vectors().
std::vector<TokenVectors> token_vectors(const Model& model, ForwardPass& pass, TextRole role);

}  // namespace bert
