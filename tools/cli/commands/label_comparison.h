// What two forms of a model that reads labels say about the same texts: entities lost and found, or other best labels.
// Used by one thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/cli/input/sequences.h"
#include "tools/cli/options/label_options.h"

namespace bert::cli {

struct LabelComparisonOptions {
  LabelOptions labels;
  double threshold = 0.5;
};

// --labels, --label, --threshold.
void declare_label_comparison(OptionTable& table, LabelComparisonOptions& options);

// By the task that the models have; both if they have both.
struct LabelComparison {
  struct Entities {
    size_t reference = 0;  // entities of the reference
    size_t lost = 0;       // of these, not the model's
    size_t found = 0;      // the model's alone
  };
  struct Classes {
    size_t texts = 0;
    size_t changed = 0;  // texts whose best label is another one
  };
  size_t labels = 0;
  std::optional<Entities> entities;
  std::optional<Classes> classes;
  // Of scores that both have.
  double mean_change = 0;
  double largest_change = 0;
};

// Throws UsageError unless labels are given to a model that reads them, and to no other.
void require_labels(const Model& model, const LabelComparisonOptions& options);

// nullopt: no labels are given.
std::optional<LabelComparison> compare_labels(const Model& model, const Model& reference,
                                              const std::vector<std::string>& texts,
                                              const LabelComparisonOptions& options);

}  // namespace bert::cli
