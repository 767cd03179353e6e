#include "tasks/analysis/rows.h"

#include <cmath>
#include <numeric>

namespace bert::analysis {

std::vector<float> mean_row(const Rows& rows) {
  std::vector<double> sum(rows.width);
  for (size_t row = 0; row < rows.count(); ++row) {
    for (size_t c = 0; c < rows.width; ++c) sum[c] += double{rows[row][c]};
  }
  std::vector<float> mean;
  for (const double value : sum) mean.push_back(static_cast<float>(value / static_cast<double>(rows.count())));
  return mean;
}

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

double norm(std::span<const float> a) { return std::sqrt(dot(a, a)); }

double cosine(std::span<const float> a, std::span<const float> b) {
  const double norms = norm(a) * norm(b);
  return norms > 0 ? dot(a, b) / norms : 0;
}

double relative_distance(std::span<const float> from, std::span<const float> to) {
  double sum = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    const double difference = double{to[i]} - double{from[i]};
    sum += difference * difference;
  }
  const double from_norm = norm(from);
  return from_norm > 0 ? std::sqrt(sum) / from_norm : 0;
}

std::vector<double> relative_distances(const Rows& from, const Rows& to) {
  std::vector<double> distances(from.count());
  for (size_t row = 0; row < distances.size(); ++row) distances[row] = relative_distance(from[row], to[row]);
  return distances;
}

double mean(std::span<const double> values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace bert::analysis
