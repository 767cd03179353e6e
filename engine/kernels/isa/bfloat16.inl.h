// Products in bfloat16 arithmetic (docs/NUMERICS.md): weights and rows of x are rounded to bfloat16, and a sum adds the
// inputs in pairs, the odd input of each pair first, by fused multiply-adds. This needs no instruction for bfloat16:
// the products of floats give the same result for these numbers in this order. avx512bf16.cc uses such an instruction.
// Included after parts.inl.h.
#pragma once

#include "engine/kernels/isa/bfloat16.h"
#include "engine/kernels/product_kernel.h"

namespace bert {
namespace {

// The concept is true for a type of weights that is multiplied in bfloat16 arithmetic. The type has a member type
// `Sums`, which decides how a tile is computed, and these members:
//   kInputs           number of inputs of a unit
//   round_units       stores 16 floats as 16 / kInputs units
//   units_of_rows     returns sixteen units, each from a column of kInputs rows
template <class Type>
concept InBFloat16 = requires {
  typename Type::Sums;
};

struct OddFirst : F32 {
  static constexpr bool kOddFirst = true;
  static constexpr size_t kBlockUnits = 2 * kLinearBlock;  // a block is kLinearBlock pairs
};

// Weights of a floating-point type. A unit is one input, rounded, as a float.
template <class Source>
struct Rounded {
  using Storage = typename Source::Storage;
  using Sums = OddFirst;
  static constexpr size_t kInputs = 1;
  static float widen(Storage x) { return rounded_to_bfloat16(Source::widen(x)); }
  static auto load4(const Storage* p) { return rounded_to_bfloat16(Source::load4(p)); }
  static auto load8(const Storage* p) { return rounded_to_bfloat16(Source::load8(p)); }
  static auto load16(const Storage* p) { return rounded_to_bfloat16(Source::load16(p)); }
  static void round_units(Lanes x, float* to) { store(to, rounded_to_bfloat16(x)); }
  static Lanes units_of_rows(const Lanes* rows) { return rounded_to_bfloat16(rows[0]); }
};

// Returns sixteen units, each from a column of rows: of one row of floats, or of as many rows as a unit has inputs.
template <class Type>
inline Lanes units_of_rows(const Lanes* rows) {
  if constexpr (InBFloat16<Type>) return Type::units_of_rows(rows);
  return rows[0];
}

// Rounds rows of x to units. Units after the last input are 0.
template <InBFloat16 Type>
void round_rows(const PrepareArgs& args) {
  for (size_t row = 0; row < args.rows; ++row) {
    const float* x = args.x + row * args.x_stride;
    float* to = args.prepared + row * prepared_row_floats<Type>(args.in);
    for (size_t i = 0; i < args.in; i += 16) Type::round_units(load_part(x + i, args.in - i), to + i / Type::kInputs);
  }
}

}  // namespace
}  // namespace bert
