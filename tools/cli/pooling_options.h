// The options of the commands that make one vector per text.
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

enum class VectorKind { kDense, kTokens };

inline void declare_kind(OptionTable& table, VectorKind& kind) {
  table.choice<VectorKind>("--kind", {{"dense", VectorKind::kDense}, {"tokens", VectorKind::kTokens}}, kind,
                           "what a text becomes: one dense vector, or one for each token, of a late-interaction model "
                           "(default: dense)");
}

inline void declare_role(OptionTable& table, std::optional<TextRole>& role) {
  table.choice<TextRole>("--role", {{"query", TextRole::kQuery}, {"document", TextRole::kDocument}}, role,
                         "with --kind tokens, what the texts are (default: document)");
}

// Throws UsageError for an option of the other kind.
inline void check_kind(VectorKind kind, const EmbedOptions& embed, const std::optional<TextRole>& role) {
  if (kind == VectorKind::kDense) {
    if (role) throw UsageError("--role is for --kind tokens");
    return;
  }
  const char* option = embed.pooling      ? "--pooling"
                       : embed.normalize  ? "--normalize"
                       : embed.dimensions ? "--dimensions"
                       : embed.prompt     ? "--prompt"
                                          : nullptr;
  if (option != nullptr) throw UsageError(std::string(option) + " is for dense vectors, not for --kind tokens");
}

}  // namespace bert::cli
