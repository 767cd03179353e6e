#include "models/encoder/probabilities.h"

#include <algorithm>

#include "engine/base/elementary.h"

namespace bert {

std::vector<double> probabilities(std::span<const float> logits) {
  std::vector<double> scores(logits.begin(), logits.end());
  if (scores.empty()) return scores;
  const double largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& score : scores) sum += score = exponential_of(score - largest);
  for (double& score : scores) score /= sum;
  return scores;
}

double probability(double logit) { return 1 / (1 + exponential_of(-logit)); }

}  // namespace bert
