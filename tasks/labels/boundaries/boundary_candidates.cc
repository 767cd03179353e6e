#include "tasks/labels/boundaries/boundary_candidates.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace bert {

std::vector<size_t> largest(std::span<const float> values, size_t count) {
  std::vector<size_t> indices(values.size());
  std::iota(indices.begin(), indices.end(), size_t{0});
  const auto end = indices.begin() + static_cast<std::ptrdiff_t>(std::min(count, indices.size()));
  std::partial_sort(indices.begin(), end, indices.end(),
                    [&](size_t a, size_t b) { return values[a] != values[b] ? values[a] > values[b] : a < b; });
  indices.erase(end, indices.end());
  return indices;
}

size_t boundaries_to_try(const BoundarySettings& settings, size_t base, size_t boundaries) {
  if (settings.best_share <= 0) return base;
  const double share = std::ceil(settings.best_share * static_cast<double>(boundaries - 1));
  const auto wanted = std::max(base, static_cast<size_t>(std::min(share, static_cast<double>(settings.best_at_most))));
  const size_t bucket = settings.best_multiple_of;
  return std::min(settings.best_at_most, (wanted + bucket - 1) / bucket * bucket);
}

std::vector<BoundaryPair> best_pairs(std::vector<ScoredPair> pairs, size_t count) {
  const auto place = [](const ScoredPair& pair) { return std::tie(pair.pair.start, pair.pair.end); };
  std::sort(pairs.begin(), pairs.end(), [&](const ScoredPair& a, const ScoredPair& b) {
    return place(a) != place(b) ? place(a) < place(b) : a.score > b.score;
  });
  pairs.erase(std::unique(pairs.begin(), pairs.end(),
                          [](const ScoredPair& a, const ScoredPair& b) { return a.pair == b.pair; }),
              pairs.end());
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const ScoredPair& a, const ScoredPair& b) { return a.score > b.score; });
  std::vector<BoundaryPair> best;
  for (size_t i = 0; i < std::min(count, pairs.size()); ++i) best.push_back(pairs[i].pair);
  return best;
}

}  // namespace bert
