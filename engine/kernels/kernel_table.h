// All functions of an instruction set except the products: one table of functions, filled by
// engine/kernels/isa/<isa>.cc. All tables compute the same bits (docs/NUMERICS.md); they differ in speed only.
// Functions are stateless; the caller provides scratch memory. Products are in product_kernel.h. The files that fill
// the tables are built with ISA flags, so this header includes nothing that has inline functions.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "engine/kernels/activation.h"
#include "engine/tensor/weight_format.h"

namespace bert {

// An accumulator adds this many products, by fused multiply-adds from 0; the accumulators are added in order.
inline constexpr size_t kLinearBlock = 64;             // linear layers: input features
inline constexpr size_t kAttentionBlock = 16;          // q·k: components of a head; p·v: keys
inline constexpr size_t kBFloat16AttentionPairs = 16;  // pairs, in bfloat16 arithmetic
inline constexpr size_t kAttentionKeyBlock = 64;       // keys between two updates of softmax's running maximum

// The destination of a product's sums, and the operations on them: y = act(sums + bias) + residual.
struct ProductOutput {
  size_t rows;
  size_t outs;
  const float* bias;  // [outs], or null
  Activation activation;
  const float* residual;  // [rows, outs], or null
  size_t residual_stride;
  float* y;  // [rows, outs]
  size_t y_stride;
};

inline constexpr size_t kNoWindow = static_cast<size_t>(-1);

struct AttentionArgs {
  const float* q;  // [length, head_dim] each, rows `stride` floats apart
  const float* k;
  const float* v;
  size_t stride;
  size_t length;
  size_t head_dim;
  float scale;         // factor of q·k, usually 1/sqrt(head_dim)
  float soft_cap = 0;  // a scaled score s becomes soft_cap · tanh(s / soft_cap); 0: no cap
  // The queries to compute; all keys are given. Queries from `length` on have no keys of their own, and are not allowed
  // with causal attention; with a window each of them must see a key.
  size_t first_query;
  size_t queries;
  bool is_causal;  // a query does not see keys after its own
  // A query sees keys at most this many places away; kNoWindow: all keys.
  size_t window;
  size_t global_keys = 0;  // with a window: this many first keys are seen by every query
  const int32_t* places;   // places of the keys and of the queries after them, ascending; read only with a window
  // Added to the scaled score of a query and a key: attention_bias[i * attention_bias_stride + key] for query
  // first_query + i; null: nothing. A bias that depends only on the distance is one row of distances with a stride of
  // -1.
  const float* attention_bias;
  ptrdiff_t attention_bias_stride;
  const float* sink;  // the score of an extra key without a value, which every query sees; null: none
  float* context;     // [queries, head_dim]
  size_t context_stride;
  float* scratch;  // attention_scratch_floats(length, head_dim) floats, 64-byte aligned
};

// The attention bias of one head's relative positions: (q·row of one table + k·row of another) * scale, where both rows
// belong to the distance of the two places. With only one table, the other term is 0.
struct RelativeArgs {
  const float* q;  // [length, head_dim] each, rows `stride` floats apart
  const float* k;
  size_t stride;
  size_t length;
  size_t head_dim;
  const int32_t* places;  // [length], ascending
  // The queries to compute; all keys are given.
  size_t first_query;
  size_t queries;
  const float* query_table;  // [rows, head_dim], multiplied by queries; rows are `table_stride` floats apart; or null
  const float* key_table;    // multiplied by keys; or null, but not both
  size_t table_stride;
  // The tables' row for each distance of a query from the key before it: distance_rows[i] for first_distance + i. The
  // first and the last entry also serve all farther distances.
  const int32_t* distance_rows;  // [distances]
  size_t distances;
  ptrdiff_t first_distance;
  float scale;
  float* attention_bias;  // [queries, length]
  float* scratch;  // relative_scratch_floats(span, head_dim) floats, 64-byte aligned; span: last place − first place +
                   // 1
};

struct NormArgs {
  const float* x;  // [rows, cols]
  size_t x_stride;
  float* y;  // [rows, cols]; may be x
  size_t y_stride;
  size_t rows;
  size_t cols;
  const float* weight;  // [cols]
  const float* bias;    // [cols], or null: zeros
  double eps;           // inside the square root, as in the papers
};

// Computes y = act(x) * gate, element by element.
struct GateArgs {
  const float* x;  // [rows, cols]
  const float* gate;
  size_t stride;  // of x and gate
  float* y;       // [rows, cols]; may be x or gate
  size_t y_stride;
  size_t rows;
  size_t cols;
  Activation activation;
};

// Rotary positions: components d and d + head_dim / 2 of each head are rotated by an angle of the row.
struct RotationArgs {
  float* x;  // [rows, heads * head_dim], in place
  size_t stride;
  size_t rows;
  size_t heads;
  size_t head_dim;     // even
  const float* table;  // [rows, head_dim]: the cosines of the angles, then their sines
};

struct AttentionKernels {
  // Computes softmax(scale q kᵀ) v of one head of one sequence, keys in blocks with a running maximum.
  void (*context)(const AttentionArgs&);
  // Computes softmax(scale q kᵀ): [queries, length] to args.context, rows context_stride apart; v is not read. With a
  // sink, a row sums to less than 1.
  void (*probabilities)(const AttentionArgs&);
};

struct KernelTable {
  const char* name;
  // Applies the end of a product to sums that are already in y.
  void (*epilogue)(const ProductOutput&);
  AttentionKernels attention;
  AttentionKernels bfloat16_attention;  // both products in bfloat16 arithmetic
  void (*relative_attention_bias)(const RelativeArgs&);
  void (*layer_norm)(const NormArgs&);
  void (*rms_norm)(const NormArgs&);
  void (*gate)(const GateArgs&);
  void (*rotate)(const RotationArgs&);
  // add_row: y[i] += row[i]. copy_row: y[i] = row[i]. The row is converted to float.
  void (*add_row)(float* y, WeightRow row, size_t count);
  void (*copy_row)(float* y, WeightRow row, size_t count);
  // Sets y[i] to the float sum of element i of all rows, added in order. row_count >= 1; all rows have one format.
  void (*sum_rows)(float* y, const WeightRow* rows, size_t row_count, size_t count);
  void (*activate)(float* x, size_t count, Activation activation);  // in place
};

// At most this many queries share a block of keys in the cache, in every table; table.inl.h checks it.
inline constexpr size_t kMaxAttentionQueries = 96;

// Return the floats of scratch that attention and relative positions need, for every table.
size_t attention_scratch_floats(size_t length, size_t head_dim);
size_t relative_scratch_floats(size_t span, size_t head_dim);
inline constexpr size_t kRelativeBlockFloats = 3136;  // a block of products in the scratch; relative.inl.h checks it

extern const KernelTable kPortableKernels;
#if defined(__x86_64__)
extern const KernelTable kAvx2Kernels;
extern const KernelTable kAvx512Kernels;
extern const AttentionKernels kAvx512Bf16Attention;
#elif defined(__aarch64__)
extern const KernelTable kNeonKernels;
#elif defined(__wasm__)
extern const KernelTable kWasmKernels;
// Weak: defined only in modules with relaxed instructions (engine/base/cpu_features.h).
[[gnu::weak]] extern const KernelTable kRelaxedKernels;
#endif

}  // namespace bert
