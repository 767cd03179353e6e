// The formats in which weights are used, as stored in memory. Header without functions: the files built with ISA flags
// include it.
#pragma once

#include <stddef.h>

namespace bert {

// kI8: integers, times a scale for each output; a product quantises the rows of x to 8 bits, with a zero point. Those
// of kI8Symmetric are quantised without.
enum class WeightFormat { kF32, kF16, kBF16, kI8, kI8Symmetric };
inline constexpr size_t kWeightFormats = 5;

// One row of a weight: `data` holds contiguous elements.
struct WeightRow {
  const void* data;
  WeightFormat format;
  float scale = 1;  // of 8-bit elements
};

}  // namespace bert
