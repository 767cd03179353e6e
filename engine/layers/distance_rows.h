// Maps a distance between two tokens to a row of a table. A plain value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bert {

// Entry i of `rows` is for queries `first + i` places after the key; the first and the last entry also serve all
// farther distances.
struct DistanceRows {
  std::vector<int32_t> rows;
  ptrdiff_t first = 0;

  // Gives each distance a row: up to `before` for a query before the key, up to `after` for a query after it.
  static DistanceRows each(size_t before, size_t after);

  // Gives distances logarithmic buckets, for a table with 2 * buckets rows, of which row `buckets` is for distance 0:
  // distances of at most buckets / 2 have rows of their own, farther distances share rows. Needs buckets > 1,
  // max_distance > buckets / 2 + 1. Computed in float as in the reference, whose rounding decides the borders. Source:
  // He et al. 2021, section 3.1, as in transformers 5.23.
  static DistanceRows log_buckets(size_t buckets, size_t max_distance);
};

}  // namespace bert
