// Rounds a float for bfloat16 arithmetic (docs/NUMERICS.md). It specifies the Lanes' functions of the same name.
#pragma once

#include <stdint.h>

namespace bert {
namespace {

// Returns the nearest bfloat16; of two equally near, the even one. A NaN stays a NaN. Magnitudes below 2^-56 become a
// zero with the same sign: then every product is a multiple of 2^-126, no sum is denormal, and instructions that flush
// denormals give the same bits.
inline float rounded_to_bfloat16(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, 4);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude < 0x23800000u) {  // 2^-56
    bits &= 0x80000000u;
  } else if (magnitude > 0x7F800000u) {
    bits |= 0x400000u;
  } else {
    bits += 0x7FFFu + (bits >> 16 & 1u);
  }
  bits &= 0xFFFF0000u;
  __builtin_memcpy(&x, &bits, 4);
  return x;
}

}  // namespace
}  // namespace bert
