// Puts the functions of the included templates into tables. The last line of an engine/kernels/isa/<isa>.cc.
#pragma once

#include "engine/kernels/isa/products.inl.h"
// products first: attention is made of their tiles
#include "engine/kernels/isa/attention.inl.h"
// and shares its helpers with relative positions
#include "engine/kernels/isa/relative.inl.h"
#include "engine/kernels/isa/row_ops.inl.h"
#include "engine/kernels/isa/scan.inl.h"

namespace bert {
namespace {

static_assert(kQueryBlock <= kMaxAttentionQueries);

void epilogue(const ProductOutput& output) {
  finish_tile(output, FloatSums{output.y, output.y_stride}, 0, output.rows, 0, output.outs);
}

constexpr KernelTable make_table() {
  return {.name = kName,
          .epilogue = epilogue,
          .attention = make_attention<F32>(),
          .bfloat16_attention = make_attention<Rounded<F32>>(),
          .relative_attention_bias = relative_attention_bias,
          .layer_norm = layer_norm,
          .rms_norm = rms_norm,
          .gate = gate,
          .rotate = rotate,
          .add_row = add_row,
          .copy_row = copy_row,
          .sum_rows = sum_rows,
          .activate = activate_row};
}

constexpr FloatProductKernels make_float_products() {
  return {.f32 = make_product<F32>(kName), .f16 = make_product<F16>(kName), .bf16 = make_product<BF16>(kName)};
}

}  // namespace
}  // namespace bert
