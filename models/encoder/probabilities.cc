#include "models/encoder/probabilities.h"

#include <algorithm>
#include <cmath>

namespace bert {

std::vector<double> probabilities(std::span<const float> logits) {
  std::vector<double> scores(logits.begin(), logits.end());
  if (scores.empty()) return scores;
  const double largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - largest);
  for (double& score : scores) score /= sum;
  return scores;
}

double probability(double logit) { return 1 / (1 + std::exp(-logit)); }

}  // namespace bert
