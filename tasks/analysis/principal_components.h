// Principal components: the directions in which rows vary most. Stateless.
#pragma once

#include <cstddef>
#include <vector>

#include "tasks/analysis/rows.h"

namespace bert::analysis {

struct PrincipalComponents {
  std::vector<double> mean;        // [width], of the rows
  std::vector<double> directions;  // [count, width]: orthonormal, sorted by descending variance
  double explained = 0;            // share of the variance that the directions explain
};

// Requires at least 2 rows and 1 <= count <= width. Each direction's sign makes its largest number positive.
PrincipalComponents principal_components(const Rows& rows, size_t count);

// Returns the coordinates of each row along the directions, [rows, count].
std::vector<float> project(const PrincipalComponents& components, const Rows& rows);

}  // namespace bert::analysis
