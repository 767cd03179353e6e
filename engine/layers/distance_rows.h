// Which row of a table a distance between two tokens has. A plain value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bert {

// Entry i of `rows` is for the query `first + i` places after the key; the first and the last entry are also for all
// distances farther away.
struct DistanceRows {
  std::vector<int32_t> rows;
  ptrdiff_t first = 0;

  // Rows of their own for distances up to `before` to a query before the key, and up to `after` to one after it.
  static DistanceRows each(size_t before, size_t after);

  // Logarithmic buckets of a table with 2 * buckets rows, of which row `buckets` is for distance 0: distances of at
  // most buckets / 2 have rows of their own, farther ones share rows. Needs buckets > 1, max_distance > buckets / 2
  // + 1. In float, as in the reference, where rounding decides a border. Source: He et al. 2021, section 3.1, as in
  // transformers 5.23.
  static DistanceRows log_buckets(size_t buckets, size_t max_distance);
};

}  // namespace bert
