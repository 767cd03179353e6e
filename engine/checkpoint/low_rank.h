// Applies a low-rank change to weights: weight + scale · left · right, in float64, rounded to float32 once.
// Source: Hu et al. 2022, section 4.1 (LoRA).
#pragma once

#include <cstddef>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/tensor/dtype.h"

namespace bert {

struct LowRankWork {
  const std::byte* source;  // [rows, cols], any alignment
  DType dtype;              // F32, F16, BF16, or F64, which is rounded to float32 first
  size_t rows;
  size_t cols;
  std::vector<double> left;   // [rows, rank]
  std::vector<double> right;  // [rank, cols]
  double scale;
  float* changed;  // [rows, cols]
};

// Fills work.changed, on the pool's threads.
void run_low_rank_work(const LowRankWork& work, ThreadPool& pool);

}  // namespace bert
