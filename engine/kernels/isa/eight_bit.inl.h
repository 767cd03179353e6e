// The types of weights in products: a floating-point type, one in bfloat16 arithmetic (bfloat16.inl.h), or 8-bit
// integers. A unit is 32 bits of x and of a panel.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace bert {
namespace {

// An 8-bit weight type, which each instruction set defines, has:
//   Storage                    of a weight in the file: int8_t
//   Weight                     of a weight in a unit, sign-extended: 8, 16 or 32 bits
//   Activation                 unsigned, as wide: of a quantised x, 0 to 255
//   load16                     sixteen units of adjacent weights
//   multiply_add(x, w, sum)    sum + the products of the integers of x and w, in 32-bit integers without saturation
//   store16(to, x)             the lowest byte of each lane as an Activation
//   add_lanes(a, b, c, d, to)  to[0 .. 4) = the integer sums of the lanes of a, b, c and d
//   corrected(sum, zero, sums) sum - zero * sums as floats; sums: the sums of the weights of sixteen outputs
template <class Type>
concept EightBit = requires {
  typename Type::Activation;
};

// Returns the number of adjacent inputs in one unit.
template <class Type>
constexpr size_t inputs_of_unit() {
  if constexpr (EightBit<Type>) return 4 / sizeof(typename Type::Weight);
  if constexpr (requires { Type::kInputs; }) return Type::kInputs;
  return 1;
}
template <class Type>
constexpr size_t kInputsOfUnit = inputs_of_unit<Type>();

}  // namespace
}  // namespace bert
