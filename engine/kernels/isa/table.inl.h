// Puts the functions of the included templates into a table. The last line of an engine/kernels/isa/<isa>.cc.
#pragma once

#include "engine/kernels/isa/math.inl.h"
// math first: the others use it
#include "engine/kernels/isa/row_ops.inl.h"
// row operations before the product, whose epilogue uses them
#include "engine/kernels/isa/gemm.inl.h"
// the product's tiles carry attention
#include "engine/kernels/isa/attention.inl.h"
#include "engine/kernels/isa/relative.inl.h"

namespace bert {
namespace {

static_assert(kGroupPanels * kPanel <= kMaxGroupOutputs);
static_assert((kLinearBlock + kGemmFewRows) * kPanel <= kGemmScratchFloats);
static_assert(kQueries <= kMaxAttentionQueries);

constexpr KernelTable make_table() {
  return {.name = kName,
          .row_tile = kRowTile,
          .output_tile = kPanel,
          .group_panels = kGroupPanels,
          .gemm = {gemm<F32>, gemm<F16>, gemm<BF16>},
          .epilogue = epilogue,
          .attention = attention,
          .attention_probabilities = attention_probabilities,
          .relative_terms = relative_terms,
          .layer_norm = layer_norm,
          .add_row = {add_row<F32>, add_row<F16>, add_row<BF16>},
          .copy_row = {copy_row<F32>, copy_row<F16>, copy_row<BF16>},
          .activate = activate_row};
}

}  // namespace
}  // namespace bert
