// Quantises rows of x to 8 bits, each by its own smallest and largest number, in float32 (docs/NUMERICS.md):
//   asymmetric: scale = (max - min) / 255, zero = round(clamp(-128 - min / scale)), where min <= 0 <= max
//   symmetric:  scale = largest magnitude / 127.5, zero = 0
//   q = round(clamp(x / scale + zero)), clamped to -128 .. 127, halves to even; a scale of 0 becomes 2^-23.
// Both q and zero are stored with 128 added, so that q is an unsigned byte. Included after tile.inl.h.
#pragma once

#include "engine/kernels/product_kernel.h"

namespace bert {
namespace {

// A prepared row: the scale, the zero point as an int32_t, then from here on units of q.
constexpr size_t kQuantizedHeader = 16;  // floats: a cache line
// Floats before the units of a prepared row; 0 for rows in bfloat16 arithmetic, which are only units.
template <class Type>
constexpr size_t kPreparedHeader = EightBit<Type> ? kQuantizedHeader : 0;

template <class Type>
constexpr size_t prepared_row_floats(size_t in) {
  const size_t units = (in + kInputsOfUnit<Type> - 1) / kInputsOfUnit<Type>;
  const size_t floats = kPreparedHeader<Type> + (units + 15) / 16 * 16;
  return floats % 256 == 0 ? floats + 16 : floats;  // rows 1 KiB apart would share few sets of a cache
}

inline int32_t zero_point_of(const float* header) {
  int32_t zero;
  __builtin_memcpy(&zero, header + 1, sizeof zero);
  return zero;
}

inline float clamp_to_byte(float x) {
  x = x > -128.0f ? x : -128.0f;
  return x < 127.0f ? x : 127.0f;
}

// For |x| <= 128: adding 1.5 * 2^23 rounds to an integer, halves to even; adding 128 makes it an unsigned byte.
constexpr float kToByte = 0x1.8p23f + 128;

template <class Type, bool kSymmetric>
void quantize_row(const float* x, size_t in, float* prepared) {
  Lanes low = set1(0.0f), high = set1(0.0f), not_finite = set1(0.0f);
  for (size_t i = 0; i < in; i += 16) {
    const Lanes values = load_part(x + i, in - i);
    low = min(low, values);
    high = max(high, values);
    not_finite = add(not_finite, sub(values, values));  // 0, or NaN for a NaN or an infinity
  }
  const float least = -max_of(sub(set1(0.0f), low)), most = max_of(high);
  const float magnitude = -least > most ? -least : most;
  float scale = kSymmetric ? magnitude / 127.5f : (most - least) / 255.0f;
  if (scale == 0) scale = 0x1p-23f;
  const float rounding = 0x1.8p23f;
  const float zero = kSymmetric ? 0.0f : clamp_to_byte(-128.0f - least / scale) + rounding - rounding;

  auto* bytes = reinterpret_cast<typename Type::Activation*>(prepared + kQuantizedHeader);
  for (size_t i = 0; i < in; i += 16) {
    const Lanes scaled = add(div(load_part(x + i, in - i), set1(scale)), set1(zero));
    const Lanes clamped = min(set1(127.0f), max(set1(-128.0f), scaled));
    Type::store16(bytes + i, add(clamped, set1(kToByte)));
  }
  prepared[0] = scale + sum_of(not_finite);  // NaN if the row is not finite, so that all its outputs are NaN
  const auto stored_zero = static_cast<int32_t>(zero) + 128;
  __builtin_memcpy(prepared + 1, &stored_zero, sizeof stored_zero);
}

template <class Type, bool kSymmetric>
void quantize_rows(const PrepareArgs& args) {
  for (size_t row = 0; row < args.rows; ++row) {
    quantize_row<Type, kSymmetric>(args.x + row * args.x_stride, args.in,
                                   args.prepared + row * prepared_row_floats<Type>(args.in));
  }
}

}  // namespace
}  // namespace bert
