// Logits as probabilities. Stateless.
#pragma once

#include <span>
#include <vector>

namespace bert {

std::vector<double> probabilities(std::span<const float> logits);  // their softmax
double probability(double logit);                                  // its sigmoid

}  // namespace bert
