// The fixed sinusoidal position table, the cosine similarities of a table's rows, and statistics of these; the effect
// of rotations and windows by the distance of two tokens. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tasks/analysis/rows.h"

namespace bert::analysis {

// Returns [positions, width]: PE(pos, 2i) = sin(pos / 10000^(2i / width)), PE(pos, 2i + 1) is the cosine of the same
// angle; computed in float64. Source: Vaswani et al. 2017, section 3.5.
std::vector<float> sinusoidal_table(size_t positions, size_t width);

// Returns the cosine of every row with every row.   [rows, rows]
std::vector<double> cosine_matrix(const Rows& rows);

// Returns the mean cosine of all pairs (i, i + distance), for each distance from 0.   matrix: [rows, rows]; result:
// [rows]
std::vector<double> mean_by_distance(const std::vector<double>& matrix, size_t rows);

// Returns the `count` other rows with the highest cosines with `row`, the highest first.   matrix: [rows, rows]
std::vector<size_t> nearest_rows(const std::vector<double>& matrix, size_t rows, size_t row, size_t count);

// Returns the mean of cos(distance * frequency) over the frequencies, for each distance from 0 to `farthest`. This is
// the cosine of a vector before and after the rotation, if all pairs of its components have the same norm, and the
// cosine of two sinusoidal position vectors.   frequencies: radians per place
std::vector<double> mean_cosines(std::span<const float> frequencies, size_t farthest);

// Returns, after each layer, how many places away a token can be and still influence another token: the sum of the
// windows so far. windows: by layer; nullopt if a layer sees everything, and the reach is nullopt from that layer on.
std::vector<std::optional<size_t>> reach_by_layer(std::span<const std::optional<size_t>> windows);

}  // namespace bert::analysis
