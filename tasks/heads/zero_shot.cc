#include <algorithm>
#include <string>

#include "bert/tasks.h"
#include "engine/base/quote.h"
#include "tasks/heads/check_logits.h"

namespace bert {
namespace {

bool begins_with_entail(std::string_view label) {
  constexpr std::string_view kBeginning = "entail";
  return label.size() >= kBeginning.size() &&
         std::equal(kBeginning.begin(), kBeginning.end(), label.begin(),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b); });
}

}  // namespace

// As Python's str.format with one argument, without conversions, formats and attributes.
std::string hypothesis(std::string_view hypothesis_template, std::string_view label) {
  std::string text;
  size_t unnumbered = 0, numbered = 0;
  bool is_valid = true;
  for (std::string_view rest = hypothesis_template; !rest.empty() && is_valid;) {
    const char first = rest[0];
    size_t size = 1;
    if (first != '{' && first != '}') {
      text += first;
    } else if (rest.size() > 1 && rest[1] == first) {
      text += first;
      size = 2;
    } else {
      const size_t end = first == '{' ? rest.find('}') : std::string_view::npos;
      const std::string_view number = rest.substr(1, end == std::string_view::npos ? 0 : end - 1);
      is_valid = end != std::string_view::npos && number.find_first_not_of('0') == std::string_view::npos;
      ++(number.empty() ? unnumbered : numbered);
      text += label;
      size = end + 1;
    }
    rest.remove_prefix(std::min(size, rest.size()));
  }
  const bool has_place = unnumbered + numbered > 0;
  if (is_valid && unnumbered + std::min<size_t>(numbered, 1) <= 1 && (has_place || text != hypothesis_template)) {
    return text;
  }
  throw Error(ErrorCode::kInvalidArgument,
              "hypothesis template " + quote(hypothesis_template, 80) +
                  ": expected {} once or {0}, where the label goes, and braces of the text as {{ and }}");
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
