// Element types of tensors in checkpoints, and the exact widening of the 16-bit ones.
// F16 and BF16 hold a subset of float32's values, so widening never rounds. Stateless.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/base/bit_cast.h"

namespace bert {

enum class DType { kF32, kF16, kBF16, kF64, kI64, kI32, kI16, kI8, kU64, kU32, kU16, kU8, kBool };

constexpr size_t size_bytes(DType dtype) {
  switch (dtype) {
    case DType::kF64:
    case DType::kI64:
    case DType::kU64:
      return 8;
    case DType::kF32:
    case DType::kI32:
    case DType::kU32:
      return 4;
    case DType::kF16:
    case DType::kBF16:
    case DType::kI16:
    case DType::kU16:
      return 2;
    default:
      return 1;
  }
}

constexpr float widen_bf16(uint16_t bits) { return bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

// IEEE 754 binary16. A signalling NaN becomes quiet, as in the CPU's own conversion.
constexpr float widen_f16(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = bits >> 10 & 31;
  const uint32_t fraction = bits & 0x3FFu;
  if (exponent == 31) {
    const uint32_t quiet = fraction != 0 ? 0x400000u : 0;
    return bit_cast<float>(sign | 0x7F800000u | quiet | fraction << 13);
  }
  if (exponent != 0) return bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;  // subnormal or zero
  return bit_cast<float>(sign | bit_cast<uint32_t>(magnitude));
}

}  // namespace bert
