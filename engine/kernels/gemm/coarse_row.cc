#include "engine/kernels/gemm/coarse_row.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/base/bit_cast.h"

namespace bert {
namespace {

// A row is coarse if it has at least this many numbers that are not 0 but smaller than a step, for each number that is
// not smaller.
constexpr size_t kLostPerHeld = 63;

constexpr size_t kBlock = 16;

// Counts numbers whose magnitude is at least a step. They are compared as integers, which have the same order, so that
// the compiler uses vectors.
[[gnu::always_inline]] inline size_t held_numbers(const float* x, size_t count, float step) {
  const auto step_bits = bit_cast<int32_t>(step);
  int32_t below = 0;
#pragma GCC unroll 1  // else it becomes scalar before it can become vectors
  for (size_t i = 0; i < count; ++i) below += (bit_cast<int32_t>(x[i]) & 0x7fffffff) < step_bits ? 1 : 0;
  return count - static_cast<size_t>(below);
}

}  // namespace

bool is_coarse(std::span<const float> row, float step) {
  if (!std::isfinite(step)) return false;
  const size_t most_held = row.size() / (kLostPerHeld + 1);
  size_t held = 0, i = 0;
  // Most rows are decided after their first numbers.
  for (; i + kBlock <= row.size(); i += kBlock) {
    held += held_numbers(&row[i], kBlock, step);
    if (held > most_held) return false;
  }
  held += held_numbers(row.data() + i, row.size() - i, step);
  const auto zeros = static_cast<size_t>(std::count(row.begin(), row.end(), 0.0f));
  return row.size() - zeros - held >= kLostPerHeld * std::max<size_t>(held, 1);
}

}  // namespace bert
