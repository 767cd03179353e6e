#include "engine/checkpoint/low_rank.h"

#include <algorithm>

#include "engine/checkpoint/elements.h"

namespace bert {
namespace {

void change_rows(const LowRankWork& work, size_t first, size_t count) {
  const size_t rank = work.left.size() / work.rows;
  std::vector<float> weights(work.cols);
  std::vector<double> change(work.cols);
  for (size_t row = first; row < first + count; ++row) {
    read_row(work.source, work.dtype, row, work.cols, weights.data());
    std::fill(change.begin(), change.end(), 0.0);
    for (size_t r = 0; r < rank; ++r) {
      const double factor = work.left[row * rank + r];
      const double* right = work.right.data() + r * work.cols;
      for (size_t c = 0; c < work.cols; ++c) change[c] += factor * right[c];
    }
    float* to = work.changed + row * work.cols;
    for (size_t c = 0; c < work.cols; ++c) {
      to[c] = static_cast<float>(static_cast<double>(weights[c]) + work.scale * change[c]);
    }
  }
}

}  // namespace

void run_low_rank_work(const LowRankWork& work, ThreadPool& pool) {
  pool.run_rows(work.rows, [&](size_t first, size_t count) { change_rows(work, first, count); });
}

}  // namespace bert
