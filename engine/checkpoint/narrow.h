// Rounds 32-bit floats to 16-bit floats, for weights that are written. Stateless.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/base/bit_cast.h"

namespace bert {

// Rounds to the nearest, halves to even; too large a number becomes an infinity.
inline uint16_t narrow_bf16(float value) {
  const uint32_t bits = bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}
inline uint16_t narrow_f16(float value) {
  const uint32_t sign = bit_cast<uint32_t>(value) >> 16 & 0x8000u;
  const float magnitude = std::abs(value);
  if (magnitude >= 65520.0f) return static_cast<uint16_t>(sign | 0x7C00u);
  // Below 2^-14 float16's step is 2^-24; above, 2^-10 of the power of two. Adding 2^23 steps rounds to a step.
  const int exponent = std::max(static_cast<int>(bit_cast<uint32_t>(magnitude) >> 23) - 127, -14);
  const float step = std::ldexp(1.0f, exponent - 10);
  const auto steps = static_cast<uint32_t>(std::nearbyint(magnitude / step));
  return static_cast<uint16_t>(sign | ((static_cast<uint32_t>(exponent + 14) << 10) + steps));
}

}  // namespace bert
