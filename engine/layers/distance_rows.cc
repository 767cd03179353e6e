#include "engine/layers/distance_rows.h"

#include <algorithm>
#include <cmath>

namespace bert {
namespace {

constexpr int64_t kFarthest = 1 << 20;  // longer than any sequence; tables of few buckets end before it

// Returns the bucket of a positive distance.
int64_t log_bucket(int64_t distance, int64_t middle, int64_t max_distance) {
  if (distance <= middle) return distance;
  const auto log_of = [&](int64_t places) {
    const float quotient = static_cast<float>(places) / static_cast<float>(middle);
    return static_cast<float>(std::log(static_cast<double>(quotient)));
  };
  const float share = log_of(distance) / log_of(max_distance - 1);
  return static_cast<int64_t>(std::ceil(share * static_cast<float>(middle - 1))) + middle;
}

}  // namespace

DistanceRows DistanceRows::each(size_t before, size_t after) {
  DistanceRows result;
  result.first = -static_cast<ptrdiff_t>(before);
  for (size_t row = 0; row <= before + after; ++row) result.rows.push_back(static_cast<int32_t>(row));
  return result;
}

DistanceRows DistanceRows::log_buckets(size_t buckets, size_t max_distance) {
  const auto centre = static_cast<int64_t>(buckets);
  std::vector<int64_t> of_distances;  // for each distance, up to the first one past the table
  for (int64_t distance = 0; distance < kFarthest; ++distance) {
    of_distances.push_back(log_bucket(distance, centre / 2, static_cast<int64_t>(max_distance)));
    if (of_distances.back() >= centre) break;
  }
  const size_t farthest = of_distances.size() - 1;
  DistanceRows result;
  result.first = -static_cast<ptrdiff_t>(farthest);
  for (size_t i = farthest; i > 0; --i) {
    result.rows.push_back(static_cast<int32_t>(std::max<int64_t>(centre - of_distances[i], 0)));
  }
  for (const int64_t bucket : of_distances) {
    result.rows.push_back(static_cast<int32_t>(std::min(centre + bucket, 2 * centre - 1)));
  }
  return result;
}

}  // namespace bert
