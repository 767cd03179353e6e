// The options of the commands that make one vector per text, dense or sparse.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bert/model.h"
#include "tools/cli/options.h"

namespace bert::cli {

inline void declare_pooling(OptionTable& table, EmbedOptions& options) {
  table.begin_group("Vector");
  std::vector<std::pair<std::string, PoolingMode>> modes;
  for (const PoolingMode mode : kPoolingModes) modes.emplace_back(name(mode), mode);
  table.choice<PoolingMode>("--pooling", modes, options.pooling,
                            "how the tokens become one vector (default: what the model says)");
  table.on_or_off("--normalize", options.normalize,
                  "scale the vector to length 1, or not (default: what the model says)");
  table.number("--dimensions", options.dimensions,
               "keep the vector's first N numbers, then normalise (default: what the model says)", 1);
  table.text("--prompt", options.prompt, "NAME",
             "the prompt of this name in config_sentence_transformers.json goes before each text");
}

enum class VectorKind { kDense, kSparse };

inline void declare_kind(OptionTable& table, VectorKind& kind, std::optional<size_t>& max_active) {
  table.choice<VectorKind>("--kind", {{"dense", VectorKind::kDense}, {"sparse", VectorKind::kSparse}}, kind,
                           "what a text becomes: one dense vector, or weights of the vocabulary's entries (SPLADE; "
                           "default: dense)");
  table.number("--max-active", max_active,
               "keep the N largest weights of a sparse vector (default: what the model says)", 1);
}

// Throws UsageError for an option of the other kind.
inline void check_kind(VectorKind kind, const EmbedOptions& embed, const std::optional<size_t>& max_active) {
  if (kind == VectorKind::kDense) {
    if (max_active) throw UsageError("--max-active is for --kind sparse");
  } else if (embed.pooling || embed.normalize || embed.dimensions) {
    throw UsageError(std::string(embed.pooling     ? "--pooling"
                                 : embed.normalize ? "--normalize"
                                                   : "--dimensions") +
                     " is for dense vectors, not for --kind sparse");
  }
}

inline SparseOptions sparse_options(const EmbedOptions& embed, const std::optional<size_t>& max_active) {
  return {.max_active = max_active, .prompt = embed.prompt, .prompt_text = embed.prompt_text};
}

}  // namespace bert::cli
