#include "analysis/two_way_variance.h"

#include <algorithm>
#include <cmath>

namespace bert::analysis {
namespace {

// Of the sum of squares: a smaller difference of two such sums is rounding.
constexpr double kRounding = 1e-10;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

size_t occupied(const std::vector<double>& counts) {
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

// Of what is left and what there was, each with its degrees of freedom.
double share_told(double left, size_t left_freedom, double total, size_t total_freedom) {
  return 1 - (left / static_cast<double>(left_freedom)) / (total / static_cast<double>(total_freedom));
}

}  // namespace

TwoWayVariance::TwoWayVariance(size_t layers, size_t width) : width_(width), layers_(layers) {
  for (Layer& layer : layers_) layer.sum.resize(width);
}

void TwoWayVariance::add(uint32_t first, uint32_t second, const Rows& rows) {
  ++cases_;
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

// The squares left by the least-squares sum of a vector for each first and each second group. Each side's vectors are
// the means of what the other side's leave, in turn, until that changes nothing that a share would show.
double TwoWayVariance::left_by_both(const Layer& layer) const {
  std::vector<double> first(layer.first.size()), second = layer.second;
  divide_groups(second, second_counts_, width_);
  double left = layer.squares - dot(second, layer.second);
  for (int round = 0; round < 100; ++round) {
    const auto leave = [&](std::vector<double>& own, const std::vector<double>& sums, const std::vector<double>& other,
                           auto own_group, auto other_group, const std::vector<double>& counts) {
      own = sums;
      for (const Cell& cell : cells_) {
        double* to = own.data() + own_group(cell) * width_;
        const double* from = other.data() + other_group(cell) * width_;
        for (size_t c = 0; c < width_; ++c) to[c] -= cell.count * from[c];
      }
      divide_groups(own, counts, width_);
    };
    const auto of_first = [](const Cell& cell) { return size_t{cell.first}; };
    const auto of_second = [](const Cell& cell) { return size_t{cell.second}; };
    leave(first, layer.first, second, of_first, of_second, first_counts_);
    leave(second, layer.second, first, of_second, of_first, second_counts_);
    // Exact for these second vectors: they leave nothing of their own groups' sums.
    double now = layer.squares - dot(first, layer.first) - dot(second, layer.second);
    const double change = std::abs(left - now);
    left = now;
    if (change < 1e-6 * layer.squares) break;
  }
  return left;
}

double TwoWayVariance::variation(const Layer& layer) const {
  const double around_mean = layer.squares - dot(layer.sum, layer.sum) / static_cast<double>(cases_);
  return around_mean > kRounding * layer.squares ? around_mean : 0;
}

bool TwoWayVariance::varies(size_t layer) const { return variation(layers_[layer]) > 0; }

VarianceShares TwoWayVariance::shares(size_t index) const {
  const Layer& layer = layers_[index];
  const size_t firsts = occupied(first_counts_), seconds = occupied(second_counts_);
  const double total = variation(layer);
  if (cases_ < firsts + seconds || !(total > 0)) return {};
  const auto left_by = [&](const std::vector<double>& sums, const std::vector<double>& counts) {
    std::vector<double> means = sums;
    divide_groups(means, counts, width_);
    return layer.squares - dot(means, sums);
  };
  return {share_told(left_by(layer.first, first_counts_), cases_ - firsts, total, cases_ - 1),
          share_told(left_by(layer.second, second_counts_), cases_ - seconds, total, cases_ - 1),
          share_told(left_by_both(layer), cases_ + 1 - firsts - seconds, total, cases_ - 1)};
}

}  // namespace bert::analysis
