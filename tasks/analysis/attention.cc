#include "tasks/analysis/attention.h"

#include <cmath>

namespace bert::analysis {

HeadSummary summarize_head(std::span<const float> weights, std::span<const uint8_t> special,
                           std::span<const size_t> queries) {
  const size_t tokens = weights.size() / queries.size();
  HeadSummary sums;
  for (size_t row = 0; row < queries.size(); ++row) {
    const size_t query = queries[row];
    for (size_t key = 0; key < tokens; ++key) {
      const double weight = weights[row * tokens + key];
      if (weight > 0) sums.entropy_bits -= weight * std::log2(weight);
      if (key == query) sums.self += weight;
      if (key + 1 == query) sums.previous += weight;
      if (key == query + 1) sums.next += weight;
      if (!special.empty() && special[key] != 0) sums.special += weight;
    }
  }
  const auto count = static_cast<double>(queries.size());
  return {sums.entropy_bits / count, sums.self / count, sums.previous / count, sums.next / count, sums.special / count};
}

}  // namespace bert::analysis
