// Quantises weights to 8-bit integers with a scale for each row, and sums the integers of each row, which products need
// (docs/NUMERICS.md, "Eight bits"). Handles many tensors at once, on several threads. Stateless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/tensor/dtype.h"

namespace bert {

// One tensor [rows, cols], row after row. The caller owns all memory. F32, F16, BF16 and F64 are quantised to `weights`
// and `scales` and then summed. I8 is summed only.
struct Int8Work {
  const std::byte* source;  // any alignment
  DType dtype;              // one of the five above
  size_t rows;
  size_t cols;      // at most kMaxInt8Inputs, so that a sum fits
  int8_t* weights;  // [rows, cols], written; null exactly for kI8
  float* scales;    // [rows], written; null for kI8
  int32_t* sums;    // [rows], written
};

// Does the work on at most `threads` threads, including the caller. Returns nullopt, or the index of one tensor that
// has a NaN, an infinity or an F64 beyond float's range; the results of such tensors are useless. Throws Error for too
// many threads (ThreadPool).
std::optional<size_t> run_int8_work(std::span<const Int8Work> all, size_t threads);

}  // namespace bert
