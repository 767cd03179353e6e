#include <algorithm>
#include <string>

#include "bert/tasks.h"
#include "engine/base/quote.h"
#include "models/tasks/check_logits.h"

namespace bert {
namespace {

bool begins_with_entail(std::string_view label) {
  constexpr std::string_view kBeginning = "entail";
  return label.size() >= kBeginning.size() &&
         std::equal(kBeginning.begin(), kBeginning.end(), label.begin(),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b); });
}

}  // namespace

std::string hypothesis(std::string_view hypothesis_template, std::string_view label) {
  const size_t place = hypothesis_template.find("{}");
  if (place == std::string_view::npos || hypothesis_template.find("{}", place + 2) != std::string_view::npos) {
    throw Error(ErrorCode::kInvalidArgument, "hypothesis template " + quote(hypothesis_template, 80) +
                                                 ": expected \"{}\" once, where the label goes");
  }
  return std::string(hypothesis_template.substr(0, place)).append(label).append(hypothesis_template.substr(place + 2));
}

size_t entailment_output(const ModelConfig& config) {
  std::string names;
  for (size_t i = 0; i < config.labels.size(); ++i) {
    const std::string name = config.labels[i].value_or("");
    if (config.labels.size() > 1 && begins_with_entail(name)) return i;
    names += (names.empty() ? "" : ", ") + quote(name, 40);
  }
  throw Error(ErrorCode::kInvalidArgument,
              "zero-shot classification needs a classifier of natural language inference, with a label that begins "
              "with 'entail' and another; this model's labels are " +
                  (names.empty() ? "none" : names));
}

// Source: transformers' ZeroShotClassificationPipeline.postprocess (4.57).
std::vector<LabelScore> zero_shot_scores(const ModelConfig& config, std::span<const std::string> labels,
                                         std::span<const Logits> logits, bool multi_label) {
  const size_t entailment = entailment_output(config);
  const size_t contradiction = entailment == 0 ? config.labels.size() - 1 : 0;
  if (labels.size() != logits.size() || labels.empty()) {
    throw Error(ErrorCode::kInvalidArgument, std::to_string(logits.size()) + " outputs for " +
                                                 std::to_string(labels.size()) +
                                                 " candidate labels, expected one for each label, and at least one");
  }
  std::vector<float> entailed;
  std::vector<double> scores;
  for (const Logits& one : logits) {
    check_logits(one, 1, config.labels.size(), "sequence");
    entailed.push_back(one.values[entailment]);
    scores.push_back(softmax(std::vector<float>{one.values[contradiction], one.values[entailment]})[1]);
  }
  if (!multi_label && labels.size() > 1) scores = softmax(entailed);
  std::vector<LabelScore> all;
  for (size_t i = 0; i < labels.size(); ++i) all.push_back({labels[i], scores[i]});
  std::stable_sort(all.begin(), all.end(), [](const LabelScore& a, const LabelScore& b) { return a.score > b.score; });
  return all;
}

}  // namespace bert
