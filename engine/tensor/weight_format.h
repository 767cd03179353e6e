// The formats in which weights are used, as stored in memory. Header without functions: the files built with ISA flags
// include it.
#pragma once

#include <stddef.h>

namespace bert {

// kI8: integers, times a scale for each output; a product quantises the rows of x to 8 bits, with a zero point. Those
// of kI8Symmetric are quantised without.
enum class WeightFormat { kF32, kF16, kBF16, kI8, kI8Symmetric };
inline constexpr size_t kWeightFormats = 5;

// How products compute with weights of a format. kOfFormat: floats in float32, 8-bit integers as above. kBFloat16, for
// floats: weights and x are rounded to bfloat16, and the sums are float32's (docs/NUMERICS.md).
enum class ProductArithmetic { kOfFormat, kBFloat16 };

// Inputs of a product of 8-bit weights: more could overflow a 32-bit sum (255 * 128 * 65536 < 2^31).
inline constexpr size_t kMaxInt8Inputs = 65536;

// One row of a weight: `data` holds contiguous elements.
struct WeightRow {
  const void* data;
  WeightFormat format;
  float scale = 1;  // of 8-bit elements
};

}  // namespace bert
