// The products of an instruction set, from the templates over its Lanes. Included after a lanes_*.h.
#pragma once

#include "engine/kernels/isa/math.inl.h"
// math first: the other files use it
#include "engine/kernels/isa/parts.inl.h"
// before tiles, which end in parts of rows
#include "engine/kernels/isa/tile.inl.h"
// tiles, prefetching and quantised rows before products
#include "engine/kernels/isa/prefetch.inl.h"
#include "engine/kernels/isa/quantize.inl.h"
// or rounded
#include "engine/kernels/isa/bfloat16.inl.h"
// products of few quantised rows
#include "engine/kernels/isa/int8_few_rows.inl.h"
// sums to outputs
#include "engine/kernels/isa/finish.inl.h"
// the product last
#include "engine/kernels/isa/gemm.inl.h"

namespace bert {
namespace {

static_assert(kStepUnits == 1 || kStepUnits == 4);
static_assert(PanelPrefetch::kPartUnits % 4 == 0 && kLinearBlock % PanelPrefetch::kPartUnits == 0);
static_assert(kGemmDepth % OddFirst::kBlockUnits == 0);
static_assert(kMaxGroupPanels * kPanel <= kMaxGroupOutputs);
static_assert(kRowTile <= kMaxRowGroup);
static_assert((kLinearBlock + kGemmFewRows) * kPanel <= kGemmScratchFloats);

// Floats need no preparation: the rows of x are read in place.
template <class Type>
constexpr ProductKernel make_product(const char* name) {
  return {.name = name,
          .row_tile = kTileRows<SumsOf<Type>>,
          .output_tile = kPanel,
          .max_group_panels = kMaxGroupPanels,
          .prepare = nullptr,
          .prepared_row_floats = nullptr,
          .multiply = multiply<Type>,
          .pack = kKeepsPanels<Type> ? pack_weight<Type> : nullptr,
          .packed_output_floats = kKeepsPanels<Type> ? units_of<Type> : nullptr};
}

template <class Type>
constexpr Int8ProductKernels make_int8_products(const char* name) {
  ProductKernel kernel = make_product<Type>(name);
  kernel.prepared_row_floats = prepared_row_floats<Type>;
  kernel.prepare = quantize_rows<Type, false>;
  ProductKernel symmetric = kernel;
  symmetric.prepare = quantize_rows<Type, true>;
  return {.asymmetric = kernel, .symmetric = symmetric};
}

template <class Type>
constexpr ProductKernel make_bfloat16_product(const char* name) {
  ProductKernel kernel = make_product<Type>(name);
  kernel.prepared_row_floats = prepared_row_floats<Type>;
  kernel.prepare = round_rows<Type>;
  return kernel;
}

// Products in bfloat16 arithmetic for the floating-point formats.
template <template <class> class Type>
constexpr FloatProductKernels make_bfloat16_products(const char* name) {
  return {.f32 = make_bfloat16_product<Type<F32>>(name),
          .f16 = make_bfloat16_product<Type<F16>>(name),
          .bf16 = make_bfloat16_product<Type<BF16>>(name)};
}

}  // namespace
}  // namespace bert
