// Finds directions in which rows are long: the first principal axes of a sample, by orthogonal iteration in float64.
// Rows are not centred, because a subspace for their products also needs their mean. Stateless.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/base/thread_pool.h"

namespace bert {

// Returns [count, size]: orthonormal directions, to float64's precision, sorted by descending length of the rows in
// them. The same rows always give the same directions.   rows: [n, size];  count: 1 to size. Source: Golub and Van
// Loan, Matrix Computations, section 8.2.4.
std::vector<double> longest_directions(std::span<const float> rows, size_t size, size_t count, ThreadPool& pool);

}  // namespace bert
