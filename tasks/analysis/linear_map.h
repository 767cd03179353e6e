// The best linear map, with a constant, from one table of vectors to another, and the variance it does not explain.
// Stateless; safe to call from many threads.
#pragma once

#include <cstddef>

#include "bert/experiments.h"
#include "tasks/analysis/rows.h"

namespace bert::analysis {

// source: [rows, source width]; target: [rows, target width]. At least 3 rows; the rows of a table are not all equal.
LinearFit fit_linear_map(const Rows& source, const Rows& target);

}  // namespace bert::analysis
