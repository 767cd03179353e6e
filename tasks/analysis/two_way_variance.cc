#include "tasks/analysis/two_way_variance.h"

#include <algorithm>
#include <cmath>

namespace bert::analysis {
namespace {

// A difference of two sums of squares below this fraction of the sum is a rounding error.
constexpr double kRounding = 1e-10;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

size_t groups_in_use(const std::vector<double>& counts) {
  return static_cast<size_t>(std::count_if(counts.begin(), counts.end(), [](double count) { return count > 0; }));
}

void divide_groups(std::vector<double>& sums, const std::vector<double>& counts, size_t width) {
  for (size_t group = 0; group < counts.size(); ++group) {
    if (counts[group] == 0) continue;
    for (size_t c = 0; c < width; ++c) sums[group * width + c] /= counts[group];
  }
}

void add_to_group(std::vector<double>& sums, std::vector<double>& counts, uint32_t group, size_t width) {
  if (group >= counts.size()) counts.resize(group + 1);
  sums.resize(counts.size() * width);
}

double adjusted_r_squared(double residual, size_t residual_freedom, double total, size_t total_freedom) {
  return 1 - (residual / static_cast<double>(residual_freedom)) / (total / static_cast<double>(total_freedom));
}

}  // namespace

TwoWayVariance::TwoWayVariance(size_t layers, size_t width) : width_(width), layers_(layers) {
  for (Layer& layer : layers_) layer.sum.resize(width);
}

void TwoWayVariance::add(uint32_t first, uint32_t second, const Rows& rows) {
  ++samples_;
  const uint64_t key = uint64_t{first} << 32 | second;
  const auto [found, is_new] = cell_index_.emplace(key, cells_.size());
  if (is_new) cells_.push_back({first, second, 0});
  cells_[found->second].count += 1;
  for (size_t l = 0; l < layers_.size(); ++l) {
    Layer& layer = layers_[l];
    add_to_group(layer.first, first_counts_, first, width_);
    add_to_group(layer.second, second_counts_, second, width_);
    for (size_t c = 0; c < width_; ++c) {
      const double value = rows[l][c];
      layer.squares += value * value;
      layer.sum[c] += value;
      layer.first[first * width_ + c] += value;
      layer.second[second * width_ + c] += value;
    }
  }
  first_counts_[first] += 1;
  second_counts_[second] += 1;
}

// Returns the residual sum of squares of the least-squares fit of a vector per first group plus a vector per second
// group. It alternates (backfitting): the vectors of one grouping are the means of the other's residuals, until the sum
// converges.
double TwoWayVariance::residual_squares_of_both(const Layer& layer) const {
  std::vector<double> first(layer.first.size()), second = layer.second;
  divide_groups(second, second_counts_, width_);
  double residual = layer.squares - dot(second, layer.second);
  for (int round = 0; round < 100; ++round) {
    const auto update = [&](std::vector<double>& means, const std::vector<double>& sums,
                            const std::vector<double>& other, auto group_of, auto other_group_of,
                            const std::vector<double>& counts) {
      means = sums;
      for (const Cell& cell : cells_) {
        double* to = means.data() + group_of(cell) * width_;
        const double* from = other.data() + other_group_of(cell) * width_;
        for (size_t c = 0; c < width_; ++c) to[c] -= cell.count * from[c];
      }
      divide_groups(means, counts, width_);
    };
    const auto of_first = [](const Cell& cell) { return size_t{cell.first}; };
    const auto of_second = [](const Cell& cell) { return size_t{cell.second}; };
    update(first, layer.first, second, of_first, of_second, first_counts_);
    update(second, layer.second, first, of_second, of_first, second_counts_);
    // Exact after the update of `second`, because the residuals of each second group then sum to 0.
    const double updated = layer.squares - dot(first, layer.first) - dot(second, layer.second);
    const double change = std::abs(residual - updated);
    residual = updated;
    if (change < 1e-6 * layer.squares) break;
  }
  return residual;
}

double TwoWayVariance::total_squares(const Layer& layer) const {
  const double around_mean = layer.squares - dot(layer.sum, layer.sum) / static_cast<double>(samples_);
  return around_mean > kRounding * layer.squares ? around_mean : 0;
}

bool TwoWayVariance::varies(size_t layer) const { return total_squares(layers_[layer]) > 0; }

ExplainedVariance TwoWayVariance::explained(size_t index) const {
  const Layer& layer = layers_[index];
  const size_t firsts = groups_in_use(first_counts_), seconds = groups_in_use(second_counts_);
  const double total = total_squares(layer);
  if (samples_ < firsts + seconds || !(total > 0)) return {};
  const auto residual_squares = [&](const std::vector<double>& sums, const std::vector<double>& counts) {
    std::vector<double> means = sums;
    divide_groups(means, counts, width_);
    return layer.squares - dot(means, sums);
  };
  const size_t freedom = samples_ - 1;
  return {adjusted_r_squared(residual_squares(layer.first, first_counts_), samples_ - firsts, total, freedom),
          adjusted_r_squared(residual_squares(layer.second, second_counts_), samples_ - seconds, total, freedom),
          adjusted_r_squared(residual_squares_of_both(layer), samples_ + 1 - firsts - seconds, total, freedom)};
}

}  // namespace bert::analysis
