#include "analysis/attention.h"

#include <cmath>

namespace bert::analysis {

HeadSummary summarize_head(std::span<const float> weights, std::span<const uint8_t> special, size_t tokens) {
  HeadSummary sums;
  for (size_t query = 0; query < tokens; ++query) {
    for (size_t key = 0; key < tokens; ++key) {
      const double weight = weights[query * tokens + key];
      if (weight > 0) sums.entropy_bits -= weight * std::log2(weight);
      if (key == query) sums.self += weight;
      if (key + 1 == query) sums.previous += weight;
      if (key == query + 1) sums.next += weight;
      if (!special.empty() && special[key] != 0) sums.special += weight;
    }
  }
  const auto count = static_cast<double>(tokens);
  return {sums.entropy_bits / count, sums.self / count, sums.previous / count, sums.next / count, sums.special / count};
}

}  // namespace bert::analysis
