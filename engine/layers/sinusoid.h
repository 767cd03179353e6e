// Fixed positions: each pair of components is the sine and the cosine of the position, at frequencies from 1 down to
// almost 1/10000. There is no table, so positions have no limit.
// Source: Vaswani et al. 2017, section 3.5.
#pragma once

#include <cstddef>
#include <vector>

namespace bert {

class Sinusoid {
 public:
  explicit Sinusoid(size_t width);

  // Adds sin(position / 10000^(2i / width)) to row[2i], and cos of the same number to row[2i + 1].   row: [width]
  void add_to(float* row, size_t position) const;

 private:
  size_t width_;
  std::vector<double> periods_;  // for each pair, divided by 2π
};

}  // namespace bert
