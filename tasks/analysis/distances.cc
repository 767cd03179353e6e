#include "tasks/analysis/distances.h"

#include <cmath>

namespace bert::analysis {

std::vector<double> mean_cosines(std::span<const float> frequencies, size_t farthest) {
  std::vector<double> means(farthest + 1);
  for (size_t distance = 0; distance <= farthest; ++distance) {
    for (const float frequency : frequencies) means[distance] += std::cos(static_cast<double>(distance) * frequency);
    means[distance] /= static_cast<double>(frequencies.size());
  }
  return means;
}

std::vector<std::optional<size_t>> reach_by_layer(std::span<const std::optional<size_t>> windows) {
  std::vector<std::optional<size_t>> result;
  std::optional<size_t> reach = 0;
  for (const std::optional<size_t>& window : windows) {
    reach = reach && window ? std::optional(*reach + *window) : std::nullopt;
    result.push_back(reach);
  }
  return result;
}

}  // namespace bert::analysis
