// Weights as 8-bit integers with a scale for each row (docs/NUMERICS.md, "Eight bits"): quantising floats, and the sums
// of the integers of each row, which products need. Done for many tensors at once, on several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/tensor/dtype.h"

namespace bert {

// One tensor [rows, cols]. From kI8 only the sums are computed; from F32, F16, BF16 or F64 weights and scales too.
struct Int8Work {
  const std::byte* source;  // any alignment
  DType dtype;
  size_t rows;
  size_t cols;
  int8_t* weights;  // [rows, cols]; null for kI8
  float* scales;    // [rows]; null for kI8
  int32_t* sums;    // [rows]
};

// Runs all on that many threads. Returns the index of a tensor with a NaN or an infinity; nullopt: none has.
std::optional<size_t> run_int8_work(std::span<const Int8Work> all, size_t threads);

}  // namespace bert
