// Computes how much of the variance of vectors two groupings explain (two-way analysis of variance without
// interaction). It accumulates sums, so memory grows with the groups, not with the vectors. Each sample has one vector
// per layer, all in the same groups. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tasks/analysis/rows.h"

namespace bert::analysis {

// Adjusted R²: 1 - (residual variance / its degrees of freedom) / (total variance / its degrees of freedom). About 0,
// or a little below, for an unrelated grouping, however small its groups are; 1 for a grouping that explains
// everything. Also 0 if there are too few samples, or no variance.
struct ExplainedVariance {
  double first = 0;   // explained by the first grouping
  double second = 0;  // explained by the second grouping
  double both = 0;    // explained by the sum of a vector per first and a vector per second group, fitted by least
                      // squares
};

class TwoWayVariance {
 public:
  TwoWayVariance(size_t layers, size_t width);

  // Adds one sample. Groups count from 0; memory grows with the largest group number.   rows: [layers, width]
  void add(uint32_t first, uint32_t second, const Rows& rows);

  size_t layers() const { return layers_.size(); }
  bool varies(size_t layer) const;  // false: all vectors are equal up to rounding
  ExplainedVariance explained(size_t layer) const;

 private:
  struct Layer {
    double squares = 0;                 // sum of all vectors' squared norms
    std::vector<double> sum;            // of all vectors, [width]
    std::vector<double> first, second;  // sums of each group's vectors, [groups, width]
  };
  struct Cell {
    uint32_t first, second;
    double count;
  };

  double total_squares(const Layer& layer) const;  // around the mean; 0 if it is only rounding
  double residual_squares_of_both(const Layer& layer) const;

  size_t width_;
  size_t samples_ = 0;
  std::vector<double> first_counts_, second_counts_;
  std::vector<Cell> cells_;
  std::unordered_map<uint64_t, size_t> cell_index_;
  std::vector<Layer> layers_;
};

}  // namespace bert::analysis
