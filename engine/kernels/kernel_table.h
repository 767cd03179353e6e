// What an instruction set offers: one table of functions, filled by engine/kernels/isa/<isa>.cc. All tables compute the
// same bits (docs/NUMERICS.md); they differ in speed only. Functions are stateless; scratch memory is the caller's.
// The files behind the tables are built with ISA flags, so this header includes nothing that has inline functions.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "engine/kernels/activation.h"

namespace bert {

// Index of a weight's type in the tables' arrays of functions.
enum WeightType { kWeightF32 = 0, kWeightF16 = 1, kWeightBF16 = 2, kWeightTypes = 3 };

// Sums over k are fma chains of this many steps; the chains' results are added in order.
inline constexpr size_t kLinearBlock = 64;        // linear layers: input features
inline constexpr size_t kAttentionBlock = 16;     // q·k: components of a head; p·v: keys
inline constexpr size_t kAttentionKeyBlock = 64;  // keys between two updates of softmax's running maximum

// Up to this many rows a product streams the weights past once, panel by panel; with more it packs groups of panels.
inline constexpr size_t kGemmFewRows = 48;
inline constexpr size_t kGemmDepth = 768;  // of k, that a group of panels holds; a multiple of kLinearBlock

// y = act(x · weightᵀ + bias) + residual for a block of rows and a block of outputs.
struct GemmArgs {
  const float* x;  // [rows, in]
  size_t x_stride;
  size_t rows;
  size_t in;
  const void* weight;  // [outs, in], of the function's type, no gaps
  size_t outs;         // at most group_panels * output_tile
  const float* bias;   // [outs], or null
  Activation activation;
  const float* residual;  // [rows, outs], or null
  size_t residual_stride;
  float* y;  // [rows, outs]
  size_t y_stride;
  float* scratch;  // kGemmScratchFloats floats, 64-byte aligned
  // Weights that this thread will probably multiply by next, with the same `in`, to be asked for early; or null.
  const void* next_weight;
};

struct AttentionArgs {
  const float* q;  // [length, head_dim] each, rows `stride` floats apart
  const float* k;
  const float* v;
  size_t stride;
  size_t length;
  size_t head_dim;
  float scale;  // of q·k, usually 1/sqrt(head_dim)
  // Added to the scaled score of a query and a key: terms[query * terms_stride + key]; null: nothing. A term that
  // depends on the distance only is one row of distances and a stride of -1.
  const float* terms;
  ptrdiff_t terms_stride;
  float* context;  // [length, head_dim]
  size_t context_stride;
  float* scratch;  // attention_scratch_floats(length, head_dim) floats, 64-byte aligned
};

// What relative positions add to one head's scores: (q·row + k·row) * scale, where `row` is the table's for the
// distance of the two places, and the second product is there where k is.
struct RelativeArgs {
  const float* q;  // [length, head_dim], rows `stride` floats apart
  const float* k;  // as q, or null
  size_t stride;
  size_t length;
  size_t head_dim;
  const int32_t* places;  // [length], ascending; the last is less than `positions` past the first
  const float* table;  // [2 * positions - 1, head_dim]; row d + positions - 1 is for the query d places behind the key
  size_t positions;
  float scale;
  float* terms;    // [length, length]
  float* scratch;  // relative_scratch_floats(span, head_dim) floats; span: places from the first to the last
};

struct LayerNormArgs {
  float* x;  // [rows, cols], in place
  size_t stride;
  size_t rows;
  size_t cols;
  const float* weight;  // [cols]
  const float* bias;    // [cols]
  double eps;           // inside the square root, as the paper has it
};

struct KernelTable {
  const char* name;
  size_t row_tile;      // rows that one pass over a panel takes
  size_t output_tile;   // outputs of one panel
  size_t group_panels;  // panels that are packed together, with many rows; they fit L2

  void (*gemm[kWeightTypes])(const GemmArgs&);
  // gemm's epilogue alone, for products that came from elsewhere: y = act(y + bias) + residual. Reads x, weight: never.
  void (*epilogue)(const GemmArgs&);
  // Softmax(scale q kᵀ) v of one head of one sequence, keys in blocks with a running maximum.
  void (*attention)(const AttentionArgs&);
  // Softmax(scale q kᵀ) itself: [length, length] to args.context, rows context_stride apart. v is not read.
  void (*attention_probabilities)(const AttentionArgs&);
  void (*relative_terms)(const RelativeArgs&);
  void (*layer_norm)(const LayerNormArgs&);
  // y[i] += row[i], and y[i] = row[i], widened.
  void (*add_row[kWeightTypes])(float* y, const void* row, size_t count);
  void (*copy_row[kWeightTypes])(float* y, const void* row, size_t count);
  void (*activate)(float* x, size_t count, Activation activation);  // in place
};

// What every table keeps to, so that scratch does not depend on it; table.inl.h checks it.
inline constexpr size_t kMaxGroupOutputs = 192;    // group_panels * output_tile
inline constexpr size_t kMaxAttentionQueries = 6;  // of a tile of attention

// Floats of scratch that gemm and attention need, for every table.
inline constexpr size_t kGemmScratchFloats = kMaxGroupOutputs * kGemmDepth;
size_t attention_scratch_floats(size_t length, size_t head_dim);
size_t relative_scratch_floats(size_t span, size_t head_dim);

extern const KernelTable kPortableKernels;
#if defined(__x86_64__)
extern const KernelTable kAvx2Kernels;
extern const KernelTable kAvx512Kernels;
#endif

}  // namespace bert
