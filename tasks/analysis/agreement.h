// Measures how well two versions of the same vectors agree: shared nearest neighbours, and rank correlation of scores.
// Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <span>

#include "tasks/analysis/rows.h"

namespace bert::analysis {

// Returns the mean, over the rows, of the share of a row's `count` nearest other rows, by cosine, that are also among
// its nearest in `others`. rows, others: [rows, any width]; both have the same number of rows, more than `count`, which
// is not 0.
double neighbours_kept(const Rows& rows, const Rows& others, size_t count);

// Returns Spearman's rank correlation, -1 to 1: Pearson's correlation of the ranks, where equal values share their mean
// rank. 0 if all values of one list are equal. a, b: equally many values.
double spearman(std::span<const double> a, std::span<const double> b);

}  // namespace bert::analysis
