// The formats in which weights are used, as stored in memory. Header without functions: the files built with ISA flags
// include it.
#pragma once

#include <stddef.h>

namespace bert {

enum class WeightFormat { kF32, kF16, kBF16 };
inline constexpr size_t kWeightFormats = 3;

// One row of a weight: `data` holds contiguous elements.
struct WeightRow {
  const void* data;
  WeightFormat format;
};

}  // namespace bert
