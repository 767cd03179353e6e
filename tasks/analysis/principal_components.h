// Principal components: the directions in which rows vary most. Stateless.
#pragma once

#include <cstddef>
#include <vector>

#include "tasks/analysis/rows.h"

namespace bert::analysis {

struct PrincipalComponents {
  std::vector<double> mean;        // [width], of the rows
  std::vector<double> directions;  // [count, width]: orthonormal, that of the largest variance first
  double explained = 0;            // the share of the variance that they explain
};

// Requires at least 2 rows and 1 <= count <= width. Of a direction and its opposite, the one whose largest number is
// positive.
PrincipalComponents principal_components(const Rows& rows, size_t count);

// The coordinates of each row along the directions, [rows, count].
std::vector<float> project(const PrincipalComponents& components, const Rows& rows);

}  // namespace bert::analysis
