// Puts the functions of the included templates into tables. The last line of an engine/kernels/isa/<isa>.cc.
#pragma once

#include "engine/kernels/isa/math.inl.h"
// math first: the others use it
#include "engine/kernels/isa/row_ops.inl.h"
// row operations before tiles, which end in parts of rows
#include "engine/kernels/isa/tile.inl.h"
// tiles and prefetching before the product
#include "engine/kernels/isa/prefetch.inl.h"
// attention is made of tiles too
#include "engine/kernels/isa/gemm.inl.h"
// and shares its helpers with relative positions
#include "engine/kernels/isa/attention.inl.h"
#include "engine/kernels/isa/relative.inl.h"

namespace bert {
namespace {

static_assert(kMaxGroupPanels * kPanel <= kMaxGroupOutputs);
static_assert(kRowTile * kPanel <= kMaxRowGroupSums);
static_assert((kLinearBlock + kGemmFewRows) * kPanel <= kGemmScratchFloats);
static_assert(kQueryBlock <= kMaxAttentionQueries);

constexpr KernelTable make_table() {
  return {.name = kName,
          .epilogue = epilogue,
          .attention = attention,
          .attention_probabilities = attention_probabilities,
          .relative_attention_bias = relative_attention_bias,
          .layer_norm = layer_norm,
          .rms_norm = rms_norm,
          .gate = gate,
          .rotate = rotate,
          .add_row = add_row,
          .copy_row = copy_row,
          .activate = activate_row};
}

// Floats need no preparation: the rows of x are read in place.
template <class Type>
constexpr ProductKernel make_product() {
  return {.row_tile = kRowTile,
          .output_tile = kPanel,
          .max_group_panels = kMaxGroupPanels,
          .prepare = nullptr,
          .prepared_row_floats = nullptr,
          .multiply = multiply<Type>};
}

constexpr FloatProductKernels make_float_products() {
  return {.f32 = make_product<F32>(), .f16 = make_product<F16>(), .bf16 = make_product<BF16>()};
}

}  // namespace
}  // namespace bert
