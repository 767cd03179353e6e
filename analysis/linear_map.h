// The best linear map, with a constant, from one table of vectors to another, and the variance it does not explain.
// Stateless; safe to call from many threads.
#pragma once

#include <cstddef>

#include "analysis/rows.h"

namespace bert::analysis {

// Unexplained shares of the target's variance: 0 is a perfect fit, 1 is no better than the target's mean.
struct LinearFit {
  size_t rank = 0;         // of the centred source
  double unexplained = 0;  // least squares, on the rows of the fit
  double by_chance = 0;    // the same, expected for a source of this rank and an unrelated target
  double held_out = 0;     // leave-one-out, ridge regression with the best of some penalties
};

// source: [rows, source width]; target: [rows, target width]. At least 3 rows; the rows of a table are not all equal.
LinearFit fit_linear_map(const Rows& source, const Rows& target);

}  // namespace bert::analysis
