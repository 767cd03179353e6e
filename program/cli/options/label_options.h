// The options with which a user names labels, --labels A,B,… and --label, and words for how a token classifier's labels
// become entities.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bert/tasks.h"
#include "program/cli/options/options.h"

namespace bert::cli {

inline const std::vector<std::pair<std::string, Aggregation>> kAggregations = {{"none", Aggregation::kNone},
                                                                               {"simple", Aggregation::kSimple},
                                                                               {"first", Aggregation::kFirst},
                                                                               {"average", Aggregation::kAverage},
                                                                               {"max", Aggregation::kMax}};
inline const std::vector<std::pair<std::string, TagScheme>> kTagSchemes = {{"auto", TagScheme::kFromLabels},
                                                                           {"iob", TagScheme::kIob},
                                                                           {"bioes", TagScheme::kBioes},
                                                                           {"bilou", TagScheme::kBilou}};

// Of --top-k.
inline constexpr const char* kTopKHelp = "labels of each result at most (default: all)";

class LabelOptions {
 public:
  // help: of --labels, such as "candidate labels".
  void declare(OptionTable& table, const std::string& help);
  bool given() const { return !lists_.empty() || !labels_.empty(); }
  // Those of the lists first. Empty parts of a list and spaces around a label are dropped. Throws UsageError for an
  // empty --label.
  std::vector<std::string> labels() const;

 private:
  std::vector<std::string> lists_, labels_;
};

}  // namespace bert::cli
