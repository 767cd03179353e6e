// Weights with a low-rank change: weight + scale · left · right, in float64, rounded to float32 once. Done for many
// tensors at once, on several threads.
// Source: Hu et al. 2022, section 4.1 (LoRA).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

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

// Runs all on that many threads.
void run_low_rank_work(std::span<const LowRankWork> all, size_t threads);

}  // namespace bert
