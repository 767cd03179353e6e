// The options of the commands that make one vector per text, dense or sparse.
#pragma once

#include <optional>
#include <string>

#include "bert/model.h"
#include "bert/token_vectors.h"
#include "tools/cli/options.h"

namespace bert::cli {

inline void declare_pooling(OptionTable& table, EmbedOptions& options) {
  table.begin_group("Vector");
  table.choice("--pooling", kPoolingModes, options.pooling,
               "how the tokens become one vector (default: what the model says)");
  table.on_or_off("--normalize", options.normalize,
                  "scale the vector to length 1, or not (default: what the model says)");
  table.number("--dimensions", options.dimensions,
               "keep the vector's first N numbers, then normalise (default: what the model says)", 1);
  table.text("--prompt", options.prompt, "NAME",
             "the prompt of this name in config_sentence_transformers.json goes before each text");
}

enum class VectorKind { kDense, kSparse, kTokens };

// What --kind takes besides the dense vectors' options.
struct KindOptions {
  VectorKind kind = VectorKind::kDense;
  std::optional<size_t> max_active;
  std::optional<TextRole> role;

  bool is_sparse() const { return kind == VectorKind::kSparse; }
  bool is_tokens() const { return kind == VectorKind::kTokens; }
};

inline void declare_sparse(OptionTable& table, KindOptions& chosen) {
  table.number("--max-active", chosen.max_active,
               "keep the N largest weights of a sparse vector (default: what the model says)", 1);
}

// Dense and sparse.
inline void declare_text_kind(OptionTable& table, KindOptions& chosen) {
  table.choice<VectorKind>("--kind", {{"dense", VectorKind::kDense}, {"sparse", VectorKind::kSparse}}, chosen.kind,
                           "what a text becomes: one dense vector, or weights of the vocabulary's entries (SPLADE; "
                           "default: dense)");
  declare_sparse(table, chosen);
}

inline void declare_kind(OptionTable& table, KindOptions& chosen) {
  table.choice<VectorKind>(
      "--kind", {{"dense", VectorKind::kDense}, {"sparse", VectorKind::kSparse}, {"tokens", VectorKind::kTokens}},
      chosen.kind,
      "what a text becomes: one dense vector, weights of the vocabulary's entries (SPLADE), or a vector for each "
      "token, "
      "of a late-interaction model (default: dense)");
  declare_sparse(table, chosen);
  table.choice<TextRole>("--role", {{"query", TextRole::kQuery}, {"document", TextRole::kDocument}}, chosen.role,
                         "with --kind tokens, what the texts are (default: document)");
}

// Throws UsageError for an option of another kind.
inline void check_kind(const KindOptions& chosen, const EmbedOptions& embed) {
  if (chosen.max_active && !chosen.is_sparse()) throw UsageError("--max-active is for --kind sparse");
  if (chosen.role && !chosen.is_tokens()) throw UsageError("--role is for --kind tokens");
  if (chosen.kind == VectorKind::kDense) return;
  const char* option = embed.pooling                        ? "--pooling"
                       : embed.normalize                    ? "--normalize"
                       : embed.dimensions                   ? "--dimensions"
                       : embed.prompt && chosen.is_tokens() ? "--prompt"
                                                            : nullptr;
  if (option == nullptr) return;
  throw UsageError(std::string(option) + " is for dense vectors, not for --kind " +
                   (chosen.is_tokens() ? "tokens" : "sparse"));
}

inline SparseOptions sparse_options(const EmbedOptions& embed, const KindOptions& chosen) {
  return {.max_active = chosen.max_active, .prompt = embed.prompt, .prompt_text = embed.prompt_text};
}

}  // namespace bert::cli
