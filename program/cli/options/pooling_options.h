// The options of commands that make vectors of texts: how a text becomes a vector, and which kinds to make.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "bert/model.h"
#include "bert/tasks.h"
#include "program/cli/options/options.h"

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

// The options of --kind besides those of dense vectors.
struct KindOptions {
  std::vector<VectorKind> kinds;  // as given; empty: the command's default
  std::optional<size_t> max_active;
  std::optional<TextRole> role;
  std::vector<double> weights;  // weights of the kinds in a score, in the kinds' order; empty: equal

  bool has(VectorKind kind) const { return std::find(kinds.begin(), kinds.end(), kind) != kinds.end(); }
  bool is_dense() const { return kinds.empty() || is_only(VectorKind::kDense); }
  bool is_only(VectorKind kind) const { return kinds.size() == 1 && kinds.front() == kind; }
};

inline void declare_kinds(OptionTable& table, KindOptions& chosen, const std::string& by_default) {
  table.choices<VectorKind>(
      "--kind", {{"dense", VectorKind::kDense}, {"sparse", VectorKind::kSparse}, {"tokens", VectorKind::kTokens}},
      chosen.kinds,
      "what a text becomes: one dense vector, weights of the vocabulary's entries (SPLADE), a vector for each token, "
      "of a late-interaction model, or several of them at once (BGE-M3; default: " +
          by_default + ")");
  table.number("--max-active", chosen.max_active,
               "keep the N largest weights of a sparse vector (default: what the model says)", 1);
}

inline void declare_role(OptionTable& table, KindOptions& chosen) {
  table.choice<TextRole>("--role", {{"query", TextRole::kQuery}, {"document", TextRole::kDocument}}, chosen.role,
                         "with --kind tokens, what the texts are (default: document)");
}

inline void declare_weights(OptionTable& table, KindOptions& chosen) {
  table.numbers("--weights", chosen.weights,
                "how much each of several kinds counts in a score, in the order of --kind (default: equally)");
}

// Throws UsageError for an option of a kind that is not chosen.
inline void check_kind(const KindOptions& chosen, const EmbedOptions& embed) {
  const bool is_tokens = chosen.is_only(VectorKind::kTokens);
  if (chosen.max_active && !chosen.has(VectorKind::kSparse)) throw UsageError("--max-active is for --kind sparse");
  if (chosen.role && !is_tokens) throw UsageError("--role is for --kind tokens alone");
  if (!chosen.weights.empty() && (chosen.kinds.size() < 2 || chosen.weights.size() != chosen.kinds.size())) {
    throw UsageError("--weights has " + std::to_string(chosen.weights.size()) +
                     " numbers, expected one for each of several kinds of --kind");
  }
  if (!chosen.weights.empty() && *std::max_element(chosen.weights.begin(), chosen.weights.end()) == 0) {
    throw UsageError("--weights are all 0, expected at least one above 0");
  }
  if (chosen.kinds.empty() || chosen.has(VectorKind::kDense)) return;
  const char* option = embed.pooling               ? "--pooling"
                       : embed.normalize           ? "--normalize"
                       : embed.dimensions          ? "--dimensions"
                       : embed.prompt && is_tokens ? "--prompt"
                                                   : nullptr;
  if (option == nullptr) return;
  throw UsageError(std::string(option) + " is for dense vectors, not for --kind " + (is_tokens ? "tokens" : "sparse"));
}

inline SparseOptions sparse_options(const EmbedOptions& embed, const KindOptions& chosen) {
  return {.max_active = chosen.max_active, .prompt = embed.prompt, .prompt_text = embed.prompt_text};
}

// Returns the request; without --kind it is for the dense vector.
inline VectorRequest vector_request(const EmbedOptions& embed, const KindOptions& chosen) {
  VectorRequest request{.tokens = chosen.has(VectorKind::kTokens), .role = chosen.role};
  if (chosen.is_dense() || chosen.has(VectorKind::kDense)) request.dense = embed;
  if (chosen.has(VectorKind::kSparse)) request.sparse = sparse_options(embed, chosen);
  return request;
}

// Returns the weights; 0 for a kind that is not made.
inline KindWeights kind_weights(const KindOptions& chosen) {
  if (chosen.kinds.empty()) return {.sparse = 0, .tokens = 0};
  const auto weight = [&](VectorKind kind) {
    const auto found = std::find(chosen.kinds.begin(), chosen.kinds.end(), kind);
    if (found == chosen.kinds.end()) return 0.0;
    return chosen.weights.empty() ? 1.0 : chosen.weights[static_cast<size_t>(found - chosen.kinds.begin())];
  };
  return {weight(VectorKind::kDense), weight(VectorKind::kSparse), weight(VectorKind::kTokens)};
}

}  // namespace bert::cli
