// A kernel of matrix products: y = act(x · weightᵀ + bias) + residual with weights of one format on one instruction
// set. All kernels of a format and an arithmetic compute the same bits (docs/NUMERICS.md); they differ in speed only.
// Functions are stateless; the caller provides memory. The files of the kernels are built with ISA flags, so this
// header includes nothing that has inline functions.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "engine/kernels/kernel_table.h"

namespace bert {

// Up to this many rows, a product reads the weights once, panel by panel; with more rows it packs groups of panels.
inline constexpr size_t kGemmFewRows = 48;
// Units of inputs in a group of panels, a multiple of 2 * kLinearBlock. A unit is 32 bits: a float, two bfloat16 or
// several 8-bit weights.
inline constexpr size_t kGemmDepth = 768;

// How a product with many rows is split so that reused data stays in a cache. No split changes the order of a sum.
struct CacheBlocks {
  size_t group_panels;  // panels packed together: they stay in L2 for all rows
  size_t row_group;     // consecutive rows for a block of a panel: it stays in L1
};

// Rows of x to prepare.
struct PrepareArgs {
  const float* x;  // [rows, in]
  size_t x_stride;
  size_t rows;
  size_t in;
  float* prepared;  // rows of prepared_row_floats(in)
};

// A block of rows and a block of outputs.
struct GemmArgs {
  const float* x;  // [rows, in]
  size_t x_stride;
  const float* prepared;  // the same rows after `prepare`; null if the kernel has none
  size_t in;
  const void* weight;   // [outs, in], in the kernel's format, contiguous
  const float* panels;  // the output of `pack`; null: `weight` is read
  // [outs] each for 8-bit weights, else null.
  const float* weight_scales;
  const int32_t* weight_sums;  // for each output, the sum of its integer weights
  // Weights that this thread will probably use next, with the same `in`, to be prefetched; or null.
  const void* next_weight;
  ProductOutput output;  // outs: at most blocks.group_panels * output_tile
  CacheBlocks blocks;
  float* scratch;  // kGemmScratchFloats floats, 64-byte aligned
};

struct ProductKernel {
  const char* name;         // the instruction set's
  size_t row_tile;          // rows in one pass over a panel
  size_t output_tile;       // outputs of one panel
  size_t max_group_panels;  // larger groups are not worth packing, whatever the size of L2
  // Converts rows of x to the form that `multiply` reads, prepared_row_floats(in) floats per row. Called once for each
  // row of a product, before any `multiply`. With 8-bit weights the first float of a prepared row is its scale, one
  // step of its integers. Both functions are null if `multiply` reads x itself.
  void (*prepare)(const PrepareArgs&);
  size_t (*prepared_row_floats)(size_t in);
  void (*multiply)(const GemmArgs&);
  // Writes a weight, [outs, in], as the panels with which `multiply` computes: packed_output_floats(in) floats for each
  // output, also for missing outputs of the last panel. Without panels, `multiply` packs parts of the weight itself.
  // Both functions are null if panels are not worth keeping.
  void (*pack)(const void* weight, size_t in, size_t outs, float* panels);
  size_t (*packed_output_floats)(size_t in);
};

// Limits of every kernel, so that the scratch size does not depend on the kernel; products.inl.h checks them.
inline constexpr size_t kMaxGroupOutputs = 192;  // max_group_panels * output_tile
inline constexpr size_t kMaxRowGroup = 64;
// Scratch of a thread: a group of panels, and a group of rows for tiles that arrange rows.
inline constexpr size_t kGemmScratchFloats = (kMaxGroupOutputs + kMaxRowGroup) * kGemmDepth;

// An instruction set's kernels for floating-point weights, filled by engine/kernels/isa/<isa>.cc.
struct FloatProductKernels {
  ProductKernel f32, f16, bf16;
};
extern const FloatProductKernels kPortableFloatProducts;
extern const FloatProductKernels kPortableBFloat16Products;  // for the same formats, in bfloat16 arithmetic
#if defined(__x86_64__)
extern const FloatProductKernels kAvx2FloatProducts, kAvx2BFloat16Products;
extern const FloatProductKernels kAvx512FloatProducts, kAvx512BFloat16Products;
extern const FloatProductKernels kAvx512Bf16BFloat16Products;
#elif defined(__aarch64__)
extern const FloatProductKernels kNeonFloatProducts, kNeonBFloat16Products;
#elif defined(__wasm__)
extern const FloatProductKernels kWasmFloatProducts, kWasmBFloat16Products;
[[gnu::weak]] extern const FloatProductKernels kRelaxedFloatProducts, kRelaxedBFloat16Products;
#endif

// Kernels for 8-bit weights: x is quantised with a zero point (asymmetric) or without one (symmetric).
struct Int8ProductKernels {
  ProductKernel asymmetric, symmetric;
};
extern const Int8ProductKernels kPortableInt8Products;
#if defined(__x86_64__)
extern const Int8ProductKernels kAvx2Int8Products;
extern const Int8ProductKernels kAvxVnniInt8Products;
extern const Int8ProductKernels kAvx512Int8Products;
extern const Int8ProductKernels kAvx512VnniInt8Products;
#elif defined(__aarch64__)
extern const Int8ProductKernels kNeonInt8Products;
extern const Int8ProductKernels kDotprodInt8Products;
extern const Int8ProductKernels kI8mmInt8Products;
#elif defined(__wasm__)
extern const Int8ProductKernels kWasmInt8Products;
[[gnu::weak]] extern const Int8ProductKernels kRelaxedInt8Products;
#endif

}  // namespace bert
