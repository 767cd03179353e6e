// y = act(x · weightᵀ + bias) + residual, directly from the checkpoint's row-major weights.
//
// The order of operations for one output. Floating-point weights: inputs are divided into blocks of kLinearBlock; in a
// block one accumulator starts at 0 and takes fused multiply-adds in order; the blocks' results are added in order,
// starting with the first. bfloat16 arithmetic does the same with pairs of inputs (bfloat16.inl.h). 8-bit weights: sums
// of integers, which are exact in any order, then scaled. The result depends only on the output's own row of x and of
// weight, so neither the batch nor the tiles below can change a bit.
//
// A panel holds kPanelLanes x 16 outputs for some inputs k, transposed (k outside) so that one load gives 16 outputs.
//   few rows:  one block of k of a panel at a time is transposed into L1 and used for all rows, while later weights are
//              prefetched: each weight is read once (8-bit weights are not transposed: int8_few_rows.inl.h). Not in
//              bfloat16 arithmetic, whose weights have panels from the first pass on;
//   many rows: a group of panels, kGemmDepth of k deep, stays in L2 for all tiles of kRowTile rows;
//   panels that were kept (PackedWeight): nothing is transposed; for few rows a block of k of a panel stays in L1.
// Included after prefetch.inl.h, bfloat16.inl.h and finish.inl.h.
#pragma once

#include "engine/kernels/product_kernel.h"

namespace bert {
namespace {

// Computes sums[M][V x 16], the accumulators of x[m][0 .. count) times panel[count][V x 16]; adds to them after the
// first block.
template <class Type, size_t M, size_t V>
[[gnu::noinline]] void block_sums(const float* x, size_t x_stride, const float* panel, size_t count, float* sums,
                                  bool first) {
  for (size_t pass = 0; pass < 16; pass += kTileLanes) {
    typename TileOf<Type, M, V>::Tile tile;
    tile.template begin<Type>(sums + pass, V * 16, first);
    tile.template steps<Type>(x, x_stride, panel + pass, V * 16, count);
    tile.template add_to<Type>(sums + pass, V * 16, first);
  }
}

// Does block_sums for a whole block and prefetches a share of a later block.
template <class Type, size_t M, size_t V>
[[gnu::noinline]] void prefetching_block_sums(const float* x, size_t x_stride, const float* panel, float* sums,
                                              bool first, PanelPrefetch& prefetch) {
  constexpr size_t kPart = PanelPrefetch::kPartUnits;
  typename TileOf<Type, M, V>::Tile tile;
  tile.template begin<Type>(sums, V * 16, first);
  for (size_t k = 0; k < kBlockUnits<Type>; k += kPart) {
    prefetch.next_part();
    tile.template steps<Type>(x + k * tile.kUnitStride, x_stride, panel + k * V * 16, V * 16, kPart);
  }
  tile.template add_to<Type>(sums, V * 16, first);
}

// The rows of x as units: floats in place, or the result of quantize_rows or round_rows.
struct UnitRows {
  const float* x;
  size_t stride;  // units
  size_t count;   // units of a row; those after the last input are multiplied by 0
};
template <class Type>
size_t units_of(size_t in) {
  constexpr size_t kMultiple = kUnitMultiple<Type>;
  const size_t inputs = kInputsOfUnit<Type> * kMultiple;
  return (in + inputs - 1) / inputs * kMultiple;
}
template <class Type>
inline UnitRows unit_rows(const GemmArgs& args) {
  const size_t count = units_of<Type>(args.in);
  if constexpr (EightBit<Type> || InBFloat16<Type>) {
    return {args.prepared + kPreparedHeader<Type>, prepared_row_floats<Type>(args.in), count};
  } else {
    return {args.x, args.x_stride, count};
  }
}

// Packs units k to k + count of weight[outs][0 .. in) to panel[count][kWidth]. kPrefetches: the caller computes nothing
// between two calls, so packing does its own prefetching.
template <class Type, size_t kWidth, bool kPrefetches>
inline void pack(const typename Type::Storage* weight, size_t in, size_t outs, size_t k, size_t count, float* panel) {
  constexpr size_t kStep = kInputsOfUnit<Type>;
  const size_t inputs = in - k * kStep < count * kStep ? in - k * kStep : count * kStep;
  weight += k * kStep;
  for (size_t v = 0; v < kWidth; v += 16) {
    const size_t outs_here = outs > v ? outs - v : 0;
    const auto* rows = weight + v * in;
    float* to = panel + v;
    size_t i = 0;
    if (outs_here >= 16) {
      for (; i + 16 * kStep <= inputs; i += 16 * kStep, to += 16 * kWidth) {
        if (kPrefetches) prefetch_packing<Type>(rows + i, in);
        transpose16<Type>(rows + i, in, to, kWidth);
      }
    }
    if (i < inputs) transpose_edge<Type>(rows + i, in, outs_here, inputs - i, to, kWidth);
  }
}

// Panels for few rows have V x 16 outputs: 16 up to kNarrowRows rows, so that a tile has as many rows as the registers
// have sums, at most 16; above that kPanelLanes x 16, which needs fewer loads.
constexpr size_t kNarrowRows = 16;
constexpr size_t kNarrowTile = kRowTile * kPanelLanes < 16 ? kRowTile * kPanelLanes : 16;
template <size_t V>
constexpr size_t kFewRowTile = V == 1 ? kNarrowTile : kRowTile;
// A tile with more rows has more addresses than there are registers, so its x is copied to rows kLinearBlock apart.
constexpr size_t kAddressedRows = 8;

// Does block_sums for a whole block. Each step prefetches a line of the plan, so that reading and computing overlap.
template <size_t M, size_t V>
[[gnu::noinline]] void few_row_sums(const float* x, size_t x_stride, const float* panel, float* sums, bool first,
                                    PrefetchPlan& plan) {
  if (M > kAddressedRows) x_stride = kLinearBlock;  // the copy's stride, a constant
  Tile<M, V> tile;
  tile.begin(sums, V * 16, first);
  for (size_t part = 0; part < kLinearBlock / 16; ++part) {
    const bool any = plan.runs > 0;
    const size_t stride = any ? plan.stride : 0;
    uintptr_t line = plan.line;
    for (size_t k = part * 16; k < part * 16 + 16; k += kStepUnits) {
#pragma GCC unroll 4
      for (size_t i = 0; i < kStepUnits; ++i) {
        __builtin_prefetch(reinterpret_cast<const void*>(line), 0, kPrefetchLocality<V>);
        line += stride;
      }
      tile.whole_step(x + k, x_stride, panel + k * V * 16, V * 16);
    }
    plan.line += any ? plan.distance : 0;
    plan.runs -= any;
  }
  tile.add_to(sums, V * 16, first);
}

template <class Type, size_t V>
void multiply_few_rows(const GemmArgs& args) {
  using Storage = typename Type::Storage;
  constexpr size_t kWidth = V * 16;
  constexpr size_t kTile = kFewRowTile<V>;
  const size_t all_rows = args.output.rows;
  const size_t all_outs = args.output.outs;
  const size_t tile = even_tile(all_rows, kTile);
  float* panel = args.scratch;
  float* sums = args.scratch + kLinearBlock * kWidth;
  alignas(64) float copied[kTile * kLinearBlock];
  for (size_t out = 0; out < all_outs; out += kWidth) {
    const size_t outs = all_outs - out < kWidth ? all_outs - out : kWidth;
    const Storage* weight = static_cast<const Storage*>(args.weight) + out * args.in;
    const auto* next_panel =
        all_outs - out > kWidth ? weight + kWidth * args.in : static_cast<const Storage*>(args.next_weight);
    for (size_t k = 0; k < args.in || k == 0; k += kLinearBlock) {
      const size_t count = args.in - k < kLinearBlock ? args.in - k : kLinearBlock;
      pack<Type, kWidth, false>(weight, args.in, outs, k, count, panel);
      PrefetchPlan plan = plan_prefetch<Type, V>(weight, args.in, k, next_panel);
      for (size_t row = 0; row < all_rows; row += tile) {
        const size_t rows = all_rows - row < tile ? all_rows - row : tile;
        const float* x = args.x + row * args.x_stride + k;
        size_t x_stride = args.x_stride;
        float* tile_sums = sums + row * kWidth;
        if (!kCanPrefetch || count < kLinearBlock) {
          with_rows<kTile>(rows,
                           [&](auto m) { block_sums<F32, m.count, V>(x, x_stride, panel, count, tile_sums, k == 0); });
          continue;
        }
        if (kTile > kAddressedRows && rows > kAddressedRows) {
          copy_tile(x, x_stride, rows, kLinearBlock, copied, kLinearBlock);
          x = copied;
          x_stride = kLinearBlock;
        }
        with_rows<kTile>(rows, [&](auto m) { few_row_sums<m.count, V>(x, x_stride, panel, tile_sums, k == 0, plan); });
      }
    }
    finish_sums<Type>(args, sums, kWidth, 0, all_rows, out, outs);
  }
}

// Multiplies few rows by 8-bit weights.
template <class Type>
void multiply_few_rows(const GemmArgs& args) {
  const size_t rows = args.output.rows;
  alignas(64) float sums[kInt8FewRows * 16];
  for (size_t out = 0; out < args.output.outs; out += 16) {
    const size_t outs = args.output.outs - out < 16 ? args.output.outs - out : 16;
    const auto* weight = static_cast<const typename Type::Storage*>(args.weight) + out * args.in;
    few_row_dots<Type>(args.prepared + kQuantizedHeader, prepared_row_floats<Type>(args.in), weight, args.in, rows,
                       outs, sums, 16);
    finish_sums<Type>(args, sums, 16, 0, rows, out, outs);
  }
}

// Returns the number of rows of each tile but the last, for `rows` rows.
template <class Type>
inline size_t rows_of_tile(size_t rows) {
  const size_t tile = even_tile(rows, kTileRows<Type>);
  return HasTile<Type> ? tile + tile % 2 : tile;
}

// Arranges rows of x for tiles that need them in their own order; a tile's rows begin at its first row's place: to[rows
// + 1][depth].
template <HasTile Type>
inline void arrange_tiles(const float* x, size_t x_stride, size_t rows, size_t depth, float* to) {
  const size_t tile = rows_of_tile<Type>(rows);
  for (size_t row = 0; row < rows; row += tile) {
    const size_t count = rows - row < tile ? rows - row : tile;
    Type::arrange_rows(x + row * x_stride, x_stride, count, depth, to + row * depth);
  }
}

// Computes sums[rows][kPanel] += x · panel over `depth` steps of k: floats in blocks; integers at once, or, if the
// panel comes from memory, in blocks that stay in L1 for all rows.
template <class Type, bool kFromMemory>
inline void add_panel_sums(size_t rows, const float* x, size_t x_stride, const float* panel, size_t depth, float* sums,
                           bool first) {
  constexpr size_t kRows = kTileRows<Type>;
  constexpr size_t kBlock = EightBit<Type> && !kFromMemory ? kGemmDepth : kBlockUnits<Type>;
  const size_t tile = rows_of_tile<Type>(rows);
  PanelPrefetch prefetch(kBlock * kPanel, (rows + tile - 1) / tile * (kBlock / PanelPrefetch::kPartUnits));
  for (size_t k = 0; k < depth || first; k += kBlock) {
    const size_t count = depth - k < kBlock ? depth - k : kBlock;
    prefetch.begin_block(panel + k * kPanel);
    for (size_t row = 0; row < rows; row += tile) {
      with_rows<kRows>(rows - row < tile ? rows - row : tile, [&](auto m) {
        using Tile = typename TileOf<Type, m.count, kPanelLanes>::Tile;
        const float* x_block = x + row * x_stride + k * Tile::kUnitStride;
        const float* block = panel + k * kPanel;
        float* tile_sums = sums + row * kPanel;
        if (kCanPrefetch && kFromMemory && count == kBlock) {
          prefetching_block_sums<Type, m.count, kPanelLanes>(x_block, x_stride, block, tile_sums, first, prefetch);
        } else {
          block_sums<Type, m.count, kPanelLanes>(x_block, x_stride, block, count, tile_sums, first);
        }
      });
    }
    first = false;
  }
}

// Whether panels are kept; false if they would need several times the bytes of 8-bit weights.
template <class Type>
constexpr bool kKeepsPanels = true;
template <EightBit Type>
constexpr bool kKeepsPanels<Type> = sizeof(typename Type::Weight) == sizeof(typename Type::Storage);

// Packs the panels of a whole weight.
template <class Type>
void pack_weight(const void* weight, size_t in, size_t outs, float* panels) {
  const size_t units = units_of<Type>(in);
  if (units == 0) return;
  const auto* rows = static_cast<const typename Type::Storage*>(weight);
  for (size_t out = 0; out < outs; out += kPanel) {
    const size_t outs_here = outs - out < kPanel ? outs - out : kPanel;
    pack<Type, kPanel, true>(rows + out * in, in, outs_here, 0, units, panels + out * units);
  }
}

// Multiplies with panels. The sums over earlier parts of k are in y.
template <class Type>
void multiply_panels(const GemmArgs& args) {
  const auto* weight = static_cast<const typename Type::Storage*>(args.weight);
  const ProductOutput& output = args.output;
  const UnitRows units = unit_rows<Type>(args);
  const bool are_few = args.panels != nullptr && output.rows <= kGemmFewRows;
  const size_t row_group = are_few ? kGemmFewRows : args.blocks.row_group;
  alignas(64) float sums[kMaxRowGroup * kPanel];
  for (size_t k = 0; k < units.count || k == 0; k += kGemmDepth) {
    const size_t depth = units.count - k < kGemmDepth ? units.count - k : kGemmDepth;
    const bool last = units.count - k <= kGemmDepth;
    for (size_t out = 0; args.panels == nullptr && out < output.outs; out += kPanel) {
      const size_t outs = output.outs - out < kPanel ? output.outs - out : kPanel;
      pack<Type, kPanel, true>(weight + out * args.in, args.in, outs, k, depth, args.scratch + out * depth);
    }
    for (size_t row = 0; row < output.rows; row += row_group) {
      const size_t rows = output.rows - row < row_group ? output.rows - row : row_group;
      const float* x = units.x + row * units.stride + k;
      size_t x_stride = units.stride;
      if constexpr (HasTile<Type>) {
        float* arranged = args.scratch + kMaxGroupOutputs * kGemmDepth;
        arrange_tiles<Type>(x, x_stride, rows, depth, arranged);
        x = arranged;
        x_stride = depth;
      }
      for (size_t out = 0; out < output.outs; out += kPanel) {
        const size_t outs = output.outs - out < kPanel ? output.outs - out : kPanel;
        float* y = output.y + row * output.y_stride + out;
        if (k > 0) copy_tile(y, output.y_stride, rows, outs, sums, kPanel);
        prefetch_outputs(output, row, rows, out, outs);
        const float* panel =
            args.panels == nullptr ? args.scratch + out * depth : args.panels + out * units.count + k * kPanel;
        const auto add = args.panels != nullptr && row == 0 ? add_panel_sums<SumsOf<Type>, true>
                                                            : add_panel_sums<SumsOf<Type>, false>;
        add(rows, x, x_stride, panel, depth, sums, k == 0);
        if (last) {
          finish_sums<Type>(args, sums, kPanel, row, rows, out, outs);
        } else {
          copy_tile(sums, kPanel, rows, outs, y, output.y_stride);
        }
      }
    }
  }
}

template <class Type>
void multiply(const GemmArgs& args) {
  const size_t rows = args.output.rows;
  if (rows == 0) return;  // `prepared` may be null
  if constexpr (InBFloat16<Type>) {
    multiply_panels<Type>(args);
  } else if (args.panels != nullptr) {
    multiply_panels<Type>(args);
  } else if constexpr (EightBit<Type>) {
    rows <= kInt8FewRows ? multiply_few_rows<Type>(args) : multiply_panels<Type>(args);
  } else if (rows <= kNarrowRows) {
    multiply_few_rows<Type, 1>(args);
  } else if (rows <= kGemmFewRows) {
    multiply_few_rows<Type, kPanelLanes>(args);
  } else {
    multiply_panels<Type>(args);
  }
}

}  // namespace
}  // namespace bert
