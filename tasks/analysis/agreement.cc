#include "tasks/analysis/agreement.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tasks/analysis/eigen.h"

namespace bert::analysis {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Matrix unit_rows(const Rows& rows) {
  using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto count = static_cast<Eigen::Index>(rows.count()), width = static_cast<Eigen::Index>(rows.width);
  return Eigen::Map<const Floats>(rows.values.data(), count, width).cast<double>().rowwise().normalized();
}

// Returns the `count` nearest other rows to `row`, sorted by index.
std::vector<Eigen::Index> nearest(const Matrix& units, Eigen::Index row, size_t count) {
  const Eigen::VectorXd cosines = units * units.row(row).transpose();
  std::vector<Eigen::Index> others(static_cast<size_t>(units.rows()));
  std::iota(others.begin(), others.end(), Eigen::Index{0});
  others.erase(others.begin() + row);
  const auto end = others.begin() + static_cast<ptrdiff_t>(count);
  std::nth_element(others.begin(), end - 1, others.end(), [&](Eigen::Index a, Eigen::Index b) {
    return cosines[a] != cosines[b] ? cosines[a] > cosines[b] : a < b;
  });
  std::sort(others.begin(), end);
  return {others.begin(), end};
}

std::vector<double> ranks(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (size_t i = begin; i < end; ++i) result[order[i]] = static_cast<double>(begin + end - 1) / 2;
  }
  return result;
}

}  // namespace

double neighbours_kept(const Rows& rows, const Rows& others, size_t count) {
  const Matrix units = unit_rows(rows), other_units = unit_rows(others);
  std::vector<Eigen::Index> kept;
  for (Eigen::Index row = 0; row < units.rows(); ++row) {
    const std::vector<Eigen::Index> before = nearest(units, row, count), after = nearest(other_units, row, count);
    std::set_intersection(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(kept));
  }
  return static_cast<double>(kept.size()) / static_cast<double>(rows.count() * count);
}

double spearman(std::span<const double> a, std::span<const double> b) {
  const std::vector<double> ranks_a = ranks(a), ranks_b = ranks(b);
  const double middle = (static_cast<double>(a.size()) - 1) / 2;
  double products = 0, squares_a = 0, squares_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double of_a = ranks_a[i] - middle, of_b = ranks_b[i] - middle;
    products += of_a * of_b;
    squares_a += of_a * of_a;
    squares_b += of_b * of_b;
  }
  return squares_a > 0 && squares_b > 0 ? products / std::sqrt(squares_a * squares_b) : 0;
}

}  // namespace bert::analysis
