// How much of the variance of vectors is told by two things known of each, by one or by both: running sums, so that any
// number of vectors takes the memory of its groups. Several vectors a case, a layer each, share the groups.
// Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/rows.h"

namespace bert::analysis {

// 1 - (variance that is left) / (variance of all), each divided by its degrees of freedom: about 0 where a grouping
// tells nothing, however small its groups are (then it may be below 0), and 1 where it tells all. 0 where there are too
// few cases to say, or no variance.
struct VarianceShares {
  double first = 0;   // told by the first group alone
  double second = 0;  // by the second alone
  double both = 0;    // by the two together: the best sum of a vector for each
};

class TwoWayVariance {
 public:
  TwoWayVariance(size_t layers, size_t width);

  // One case. Groups count from 0; memory grows with the largest.   rows: [layers, width]
  void add(uint32_t first, uint32_t second, const Rows& rows);

  size_t layers() const { return layers_.size(); }
  bool varies(size_t layer) const;  // false: all rows are equal, up to rounding
  VarianceShares shares(size_t layer) const;

 private:
  struct Layer {
    double squares = 0;                 // sum of all rows' squared lengths
    std::vector<double> sum;            // [width]
    std::vector<double> first, second;  // sums of each group's rows, [groups, width]
  };
  struct Cell {
    uint32_t first, second;
    double count;
  };

  double variation(const Layer& layer) const;  // around the mean; 0 where it is rounding
  double left_by_both(const Layer& layer) const;

  size_t width_;
  size_t cases_ = 0;
  std::vector<double> first_counts_, second_counts_;
  std::vector<Cell> cells_;
  std::unordered_map<uint64_t, size_t> cell_index_;
  std::vector<Layer> layers_;
};

}  // namespace bert::analysis
