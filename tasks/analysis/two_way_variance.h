// The variance of vectors that is explained by two groupings of them (two-way analysis of variance without
// interaction). It keeps running sums: memory grows with the groups, not with the vectors. Each sample has one vector
// for each layer, all in the same groups. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "tasks/analysis/rows.h"

namespace bert::analysis {

// Adjusted R²: 1 - (residual variance / its degrees of freedom) / (total variance / its degrees of freedom). About 0,
// or a little below, for an unrelated grouping, however small its groups are; 1 for one that explains everything.
// 0 also where there are too few samples, or no variance.
struct ExplainedVariance {
  double first = 0;   // by the first grouping
  double second = 0;  // by the second grouping
  double both = 0;    // by the sum of a vector for each first and each second group, fitted by least squares
};

class TwoWayVariance {
 public:
  TwoWayVariance(size_t layers, size_t width);

  // One sample. Groups count from 0; memory grows with the largest.   rows: [layers, width]
  void add(uint32_t first, uint32_t second, const Rows& rows);

  size_t layers() const { return layers_.size(); }
  bool varies(size_t layer) const;  // false: all vectors are equal, except for rounding
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

  double total_squares(const Layer& layer) const;  // around the mean; 0 where that is rounding
  double residual_squares_of_both(const Layer& layer) const;

  size_t width_;
  size_t samples_ = 0;
  std::vector<double> first_counts_, second_counts_;
  std::vector<Cell> cells_;
  std::unordered_map<uint64_t, size_t> cell_index_;
  std::vector<Layer> layers_;
};

}  // namespace bert::analysis
