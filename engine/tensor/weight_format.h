// The formats in which weights are used, as stored in memory. Header without functions: the files built with ISA flags
// include it.
#pragma once

#include <stddef.h>

namespace bert {

// kI8: integers, times a scale for each output; a product quantises the rows of x to 8 bits, with a zero point.
// kI8Symmetric: as kI8, without a zero point.
enum class WeightFormat { kF32, kF16, kBF16, kI8, kI8Symmetric };
inline constexpr size_t kWeightFormats = 5;

// How products compute with weights of a format. kOfFormat: floats in float32, 8-bit integers as in WeightFormat.
// kBFloat16, for floats: weights and x are rounded to bfloat16, sums are in float32 (docs/NUMERICS.md).
enum class ProductArithmetic { kOfFormat, kBFloat16 };

// The most inputs of a product of 8-bit weights: more could overflow a 32-bit sum (255 * 128 * 65536 < 2^31).
inline constexpr size_t kMaxInt8Inputs = 65536;

// One row of a weight: `data` holds contiguous elements.
struct WeightRow {
  const void* data;
  WeightFormat format;
  float scale = 1;  // for 8-bit elements
};

}  // namespace bert
