#include <algorithm>

#include "bert/tasks.h"
#include "models/encoder/probabilities.h"
#include "tasks/heads/check_logits.h"

namespace bert {

std::vector<double> softmax(std::span<const float> logits) { return probabilities(logits); }

double sigmoid(double logit) { return probability(logit); }

std::vector<double> output_scores(const ModelConfig& config, const Logits& logits) {
  check_logits(logits, 1, config.labels.size(), "sequence");
  std::vector<double> scores(logits.values.begin(), logits.values.end());
  const bool is_regression = config.problem_type == ProblemType::kRegression;
  if (config.problem_type == ProblemType::kMultiLabel || (!is_regression && logits.outputs == 1)) {
    for (double& score : scores) score = sigmoid(score);
  } else if (!is_regression) {
    scores = softmax(logits.values);
  }
  return scores;
}

std::vector<LabelScore> label_scores(const ModelConfig& config, const Logits& logits,
                                     std::optional<LogitFunction> function) {
  std::vector<double> scores(logits.values.begin(), logits.values.end());
  if (!function) scores = output_scores(config, logits);
  if (function == LogitFunction::kSoftmax) scores = softmax(logits.values);
  if (function == LogitFunction::kSigmoid) std::transform(scores.begin(), scores.end(), scores.begin(), sigmoid);
  std::vector<LabelScore> labels;
  for (size_t i = 0; i < scores.size(); ++i) labels.push_back({label_of(config, i), scores[i]});
  std::stable_sort(labels.begin(), labels.end(),
                   [](const LabelScore& a, const LabelScore& b) { return a.score > b.score; });
  return labels;
}

}  // namespace bert
