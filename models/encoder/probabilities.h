// Converts logits to probabilities. Stateless.
#pragma once

#include <span>
#include <vector>

namespace bert {

std::vector<double> probabilities(std::span<const float> logits);  // by softmax
double probability(double logit);                                  // by the sigmoid

}  // namespace bert
