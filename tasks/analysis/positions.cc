#include "tasks/analysis/positions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/elementary.h"

namespace bert::analysis {

std::vector<float> sinusoidal_table(size_t positions, size_t width) {
  std::vector<float> table(positions * width);
  for (size_t position = 0; position < positions; ++position) {
    for (size_t c = 0; c < width; ++c) {
      const double exponent = static_cast<double>(c - c % 2) / static_cast<double>(width);
      const double angle = static_cast<double>(position) / power_of(10000.0, exponent);
      table[position * width + c] = static_cast<float>(c % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}

std::vector<double> cosine_matrix(const Rows& rows) {
  const size_t count = rows.count();
  std::vector<double> norms(count);
  for (size_t i = 0; i < count; ++i) norms[i] = norm(rows[i]);
  std::vector<double> matrix(count * count);
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      const double product = norms[i] * norms[j];
      matrix[i * count + j] = matrix[j * count + i] = product > 0 ? dot(rows[i], rows[j]) / product : 0;
    }
  }
  return matrix;
}

std::vector<double> mean_by_distance(const std::vector<double>& matrix, size_t rows) {
  std::vector<double> means(rows);
  for (size_t distance = 0; distance < rows; ++distance) {
    for (size_t i = 0; i + distance < rows; ++i) means[distance] += matrix[i * rows + i + distance];
    means[distance] /= static_cast<double>(rows - distance);
  }
  return means;
}

std::vector<size_t> nearest_rows(const std::vector<double>& matrix, size_t rows, size_t row, size_t count) {
  std::vector<size_t> others(rows);
  std::iota(others.begin(), others.end(), size_t{0});
  others.erase(others.begin() + static_cast<ptrdiff_t>(row));
  count = std::min(count, others.size());
  std::partial_sort(others.begin(), others.begin() + static_cast<ptrdiff_t>(count), others.end(),
                    [&](size_t a, size_t b) { return matrix[row * rows + a] > matrix[row * rows + b]; });
  others.resize(count);
  return others;
}

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
