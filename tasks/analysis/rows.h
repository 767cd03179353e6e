// A view of a matrix's rows, with norms, cosines and distances. Sums are in float64, in the order of the elements.
// Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace bert::analysis {

// [count, width] floats without gaps. A view: the caller keeps the memory alive.
struct Rows {
  std::span<const float> values;
  size_t width = 0;

  size_t count() const { return width == 0 ? 0 : values.size() / width; }
  std::span<const float> operator[](size_t row) const { return values.subspan(row * width, width); }
};

// Returns the mean of all rows.   [width]
std::vector<float> mean_row(const Rows& rows);

double dot(std::span<const float> a, std::span<const float> b);
double norm(std::span<const float> a);
double cosine(std::span<const float> a, std::span<const float> b);  // 0 if one of them is all zeros
// Returns |to - from| / |from|; 0 if `from` is all zeros.
double relative_distance(std::span<const float> from, std::span<const float> to);
// Returns the relative distance of each row.   from, to: [rows, width]; result: [rows]
std::vector<double> relative_distances(const Rows& from, const Rows& to);

double mean(std::span<const double> values);  // 0 if there are none

}  // namespace bert::analysis
