// Fits the best linear map, with a constant, from one table of vectors to another; reports the variance that it does
// not explain.
// Stateless; safe to call from many threads.
#pragma once

#include "bert/experiments.h"
#include "tasks/analysis/rows.h"

namespace bert::analysis {

// source: [rows, source width]; target: [rows, target width]. Both have at least 3 rows, which are not all equal.
LinearFit fit_linear_map(const Rows& source, const Rows& target);

}  // namespace bert::analysis
