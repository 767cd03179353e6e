// The best linear map, with a constant, from one table of vectors to another, and what it leaves unexplained.
// Stateless; safe to call from many threads.
#pragma once

#include <cstddef>

#include "analysis/rows.h"

namespace bert::analysis {

// Shares of the target's variance: 0 is a perfect map, 1 no better than the target's mean for every row.
struct LinearFit {
  size_t rank = 0;         // independent directions of the source's rows around their mean
  double unexplained = 0;  // by the least-squares map, over the rows it was fitted on
  double by_chance = 0;    // what a source of this rank leaves unexplained of a target that has nothing to do with it
  double held_out = 0;  // of each row, by a map fitted on all the others; ridge regression, the best of some penalties
};

// source: [rows, source width]; target: [rows, target width]. At least 3 rows, and not all of a table's rows equal.
LinearFit fit_linear_map(const Rows& source, const Rows& target);

}  // namespace bert::analysis
