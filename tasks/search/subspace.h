// Directions in which rows are long: the first principal axes of a sample of them, found by orthogonal iteration in
// float64. Rows are not centred: a subspace for their products needs their mean too. Stateless.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/base/thread_pool.h"

namespace bert {

// [count, size], of length 1 and at right angles to each other, to float64's precision; those in which the rows are
// longest come first.   rows: [n, size];  count: 1 to size. Always the same for the same rows.
// Source: Golub and Van Loan, Matrix Computations, section 8.2.4.
std::vector<double> longest_directions(std::span<const float> rows, size_t size, size_t count, ThreadPool& pool);

}  // namespace bert
