// The options that change a model's forward passes: heads without outputs, and a token's vector from another text. Used
// by one thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bert/interventions.h"
#include "program/cli/options/options.h"

namespace bert::cli {

struct InterventionOptions {
  std::string heads;  // "3.7,5.0"
  Ablation ablation = Ablation::kZero;
  std::vector<std::string> patches;  // "4.3" or "4.3=5"
  std::optional<std::string> patch_text;
};

// Declares --without-heads, --ablation, --patch, --patch-from.
void declare_interventions(OptionTable& table, InterventionOptions& chosen);
void declare_ablation(OptionTable& table, Ablation& ablation, const std::string& help);

// Returns the model with the changes that these options name, if any. Throws UsageError for text that is not a head or
// a position, and Error for heads or positions that the model does not have.
Model changed_model(Model model, const InterventionOptions& chosen);

}  // namespace bert::cli
