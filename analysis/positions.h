// What a table of position vectors looks like: the fixed sinusoidal one, the cosine of each position with each, and
// what is read off such a map. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/rows.h"

namespace bert::analysis {

// [positions, width]: PE(pos, 2i) = sin(pos / 10000^(2i / width)), PE(pos, 2i + 1) = cos of the same; computed in
// float64. Source: Vaswani et al. 2017, section 3.5.
std::vector<float> sinusoidal_table(size_t positions, size_t width);

// The cosine of each row with each.   [rows, rows]
std::vector<double> cosine_map(const Rows& rows);

// Of a cosine map: the mean over all pairs of rows that are so far apart, by distance from 0.   [rows]
std::vector<double> mean_by_distance(const std::vector<double>& map, size_t rows);

// Of a cosine map: the `count` other rows with the highest cosine to `row`, the highest first.
std::vector<size_t> nearest_rows(const std::vector<double>& map, size_t rows, size_t row, size_t count);

}  // namespace bert::analysis
