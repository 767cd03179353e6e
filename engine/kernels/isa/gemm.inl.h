// y = act(x · weightᵀ + bias) + residual, straight from the checkpoint's row-major weights.
//
// The written order of one output: k in blocks of kLinearBlock; a block is one chain of fused multiply-adds that starts
// from 0; the blocks' results are added in order, the first being the start. It depends on the output's own row of x
// and of weight only, so neither the batch nor the tiles below can change a bit.
//
// A panel holds kPanelLanes x 16 outputs of some k, transposed (k outside) so that one load gives 16 outputs.
//   few rows:  one block of k of a panel at a time is transposed into L1 and used for all rows, while weights that come
//              later are asked for: they stream past once;
//   many rows: a group of panels, kGemmDepth of k deep, waits in L2 while the rows pass in tiles of kRowTile.
// Included after row_ops.inl.h.
#pragma once

#include "engine/kernels/kernel_table.h"

namespace bert {
namespace {

constexpr size_t kPanel = kPanelLanes * 16;  // outputs of a panel, where the rows are many
constexpr size_t kCacheLine = 64;            // bytes
constexpr size_t kPrefetchBytes = 256;       // how far ahead of a row's transposition its next bytes are asked for

// Of what is asked for ahead, which may lie behind the weights' end: no pointer may point there.
inline uintptr_t address_of(const void* p) { return reinterpret_cast<uintptr_t>(p); }

// The chains of M rows by V x 16 columns, in registers.
template <size_t M, size_t V>
struct Tile {
  Lanes chains[M][V];

  [[gnu::always_inline]] void clear() {
#pragma GCC unroll 16
    for (size_t m = 0; m < M; ++m) {
#pragma GCC unroll 4
      for (size_t v = 0; v < V; ++v) chains[m][v] = set1(0.0f);
    }
  }

  // A step of each: x[m] times row[column], added.
  [[gnu::always_inline]] void step(const float* x, size_t x_stride, const float* row) {
    Lanes b[V];
#pragma GCC unroll 4
    for (size_t v = 0; v < V; ++v) b[v] = load(row + v * 16);
#pragma GCC unroll 16
    for (size_t m = 0; m < M; ++m) {
      const Lanes a = set1(x[m * x_stride]);
#pragma GCC unroll 4
      for (size_t v = 0; v < V; ++v) chains[m][v] = fma(a, b[v], chains[m][v]);
    }
  }

  // sums[m][column] = the chain, or += the chain when it is not the first.
  [[gnu::always_inline]] void add_to(float* sums, size_t stride, bool first) const {
#pragma GCC unroll 16
    for (size_t m = 0; m < M; ++m) {
#pragma GCC unroll 4
      for (size_t v = 0; v < V; ++v) {
        float* sum = sums + m * stride + v * 16;
        store(sum, first ? chains[m][v] : add(load(sum), chains[m][v]));
      }
    }
  }
};

template <size_t M>
struct Rows {
  static constexpr size_t count = M;
};

// Calls use(Rows<rows>()) for a number of rows that is known at run time, at most M.
template <size_t M, class Use>
inline void with_rows(size_t rows, const Use& use) {
  if constexpr (M > 0) {
    if (rows == M) return use(Rows<M>());
    with_rows<M - 1>(rows, use);
  }
}

// sums[M][V x 16] = the chains of x[m][0 .. count) with panel[count][V x 16], or += them when this is not the first
// block.
template <size_t M, size_t V>
[[gnu::noinline]] void block_sums(const float* x, size_t x_stride, const float* panel, size_t count, float* sums,
                                  bool first) {
  Tile<M, V> tile;
  tile.clear();
  for (size_t k = 0; k < count; ++k) tile.step(x + k, x_stride, panel + k * V * 16);
  tile.add_to(sums, V * 16, first);
}

// A tile at the matrix's edge: what is not there is 0.
template <class Type>
void transpose_edge(const typename Type::Storage* rows, size_t stride, size_t outs, size_t count, float* to,
                    size_t to_stride) {
  for (size_t j = 0; j < count; ++j) {
    for (size_t i = 0; i < 16; ++i) to[j * to_stride + i] = i < outs ? Type::widen(rows[i * stride + j]) : 0.0f;
  }
}

// weight[outs][0 .. count) to panel[count][kWidth]; the rows are `in` apart. Where nothing is computed between two
// calls, the packing itself asks for what comes next: the same rows kPrefetchBytes further on.
template <class Type, size_t kWidth, bool kAsks>
inline void pack(const typename Type::Storage* weight, size_t in, size_t outs, size_t count, float* panel) {
  for (size_t v = 0; v < kWidth; v += 16) {
    const size_t outs_here = outs > v ? outs - v : 0;
    const auto* rows = weight + v * in;
    size_t k = 0;
    if (outs_here >= 16) {
      for (; k + 16 <= count; k += 16) {
#pragma GCC unroll 16
        for (size_t i = 0; kAsks && i < 16; ++i) {
          __builtin_prefetch(reinterpret_cast<const void*>(address_of(rows + i * in + k) + kPrefetchBytes), 0, 3);
        }
        transpose16<Type>(rows + k, in, panel + k * kWidth + v, kWidth);
      }
    }
    if (k < count) transpose_edge<Type>(rows + k, in, outs_here, count - k, panel + k * kWidth + v, kWidth);
  }
}

// y = act(sums + bias) + residual for a tile whose first output is `out`. sums may be y.
void finish_tile(const GemmArgs& args, const float* sums, size_t sums_stride, size_t row, size_t rows, size_t out,
                 size_t outs) {
  with_activation(args.activation, [&](auto activate) {
    for (size_t m = 0; m < rows; ++m) {
      const float* sum = sums + m * sums_stride;
      const float* bias = args.bias == nullptr ? nullptr : args.bias + out;
      const float* residual =
          args.residual == nullptr ? nullptr : args.residual + (row + m) * args.residual_stride + out;
      float* y = args.y + (row + m) * args.y_stride + out;
      const auto finish = [&](size_t c, size_t count) {
        Lanes value = load_part(sum + c, count);
        if (bias != nullptr) value = add(value, load_part(bias + c, count));
        value = activate(value);
        if (residual != nullptr) value = add(value, load_part(residual + c, count));
        store_part(y + c, value, count);
      };
      size_t c = 0;
      for (; c + 16 <= outs; c += 16) finish(c, 16);
      if (c < outs) finish(c, outs - c);
    }
  });
}

inline void copy_tile(const float* from, size_t from_stride, size_t rows, size_t cols, float* to, size_t to_stride) {
  for (size_t m = 0; m < rows; ++m) {
    size_t c = 0;
    for (; c + 16 <= cols; c += 16) store(to + m * to_stride + c, load(from + m * from_stride + c));
    for (; c < cols; ++c) to[m * to_stride + c] = from[m * from_stride + c];
  }
}

// Rows of a tile: `rows` in as few tiles of at most `most` as possible, as even as possible.
inline size_t even_tile(size_t rows, size_t most) {
  const size_t tiles = (rows + most - 1) / most;
  return tiles == 0 ? most : (rows + tiles - 1) / tiles;
}

// Few rows have panels of V x 16 outputs: up to kNarrowRows of 16, so that a tile has as many rows as there are sums in
// the registers, at most 16; beyond that of kPanelLanes, which take fewer loads.
constexpr size_t kNarrowRows = 16;
constexpr size_t kNarrowTile = kRowTile * kPanelLanes < 16 ? kRowTile * kPanelLanes : 16;
template <size_t V>
constexpr size_t kFewRowTile = V == 1 ? kNarrowTile : kRowTile;
// A tile of more rows than this has more addresses than there are registers: its x is copied to rows kLinearBlock
// apart.
constexpr size_t kAddressedRows = 8;

// Cache lines of weights that will be transposed later: `runs` runs of 16 lines `stride` bytes apart, each run
// `distance` bytes behind the one before. Addresses only, maybe behind the weights' end.
struct Wanted {
  uintptr_t line;
  size_t stride;
  size_t distance;
  size_t runs;
};

// To L1 from panels of 16 outputs, whose blocks are small; to L2 from wider ones.
template <size_t V>
constexpr int kWantedLocality = V == 1 ? 3 : 2;

// block_sums of a whole block. Each step asks for a line of what is wanted, so that reading and computing go on
// together.
template <size_t M, size_t V>
[[gnu::noinline]] void few_row_sums(const float* x, size_t x_stride, const float* panel, float* sums, bool first,
                                    Wanted& wanted) {
  if (M > kAddressedRows) x_stride = kLinearBlock;  // as copied, known to the compiler
  Tile<M, V> tile;
  tile.clear();
  for (size_t part = 0; part < kLinearBlock / 16; ++part) {
    const bool any = wanted.runs > 0;
    const size_t stride = any ? wanted.stride : 0;
    uintptr_t line = wanted.line;
    for (size_t k = part * 16; k < part * 16 + 16; ++k) {
      __builtin_prefetch(reinterpret_cast<const void*>(line), 0, kWantedLocality<V>);
      line += stride;
      tile.step(x + k, x_stride, panel + k * V * 16);
    }
    wanted.line += any ? wanted.distance : 0;
    wanted.runs -= any;
  }
  tile.add_to(sums, V * 16, first);
}

// What to ask for while the block that begins at k of the panel at `weight` is multiplied. Of panels of 16 outputs it
// is the next block, which will be in L1 by then. Of wider ones it is the same share of the next panel, line after
// line: a block of 48 rows is in more pages than a CPU's own prefetching follows.
template <class Storage, size_t V>
Wanted wanted_beside(const Storage* weight, size_t in, size_t k, const Storage* next_panel) {
  constexpr size_t kLines = kLinearBlock * sizeof(Storage) / kCacheLine;  // of a row of a block
  if (V == 1) {
    const Storage* block = in - k > kLinearBlock ? weight + k + kLinearBlock : next_panel;
    return {address_of(block), in * sizeof(Storage), kCacheLine, block == nullptr ? 0 : kLines};
  }
  if (next_panel == nullptr) return {};
  return {address_of(next_panel) + k * V * 16 * sizeof(Storage), kCacheLine, 16 * kCacheLine, V * kLines};
}

template <class Type, size_t V>
void gemm_few_rows(const GemmArgs& args) {
  using Storage = typename Type::Storage;
  constexpr size_t kWidth = V * 16;
  constexpr size_t kTile = kFewRowTile<V>;
  const size_t tile = even_tile(args.rows, kTile);
  float* panel = args.scratch;
  float* sums = args.scratch + kLinearBlock * kWidth;
  alignas(64) float copied[kTile * kLinearBlock];
  for (size_t out = 0; out < args.outs; out += kWidth) {
    const size_t outs = args.outs - out < kWidth ? args.outs - out : kWidth;
    const Storage* weight = static_cast<const Storage*>(args.weight) + out * args.in;
    const auto* next_panel =
        args.outs - out > kWidth ? weight + kWidth * args.in : static_cast<const Storage*>(args.next_weight);
    for (size_t k = 0; k < args.in || k == 0; k += kLinearBlock) {
      const size_t count = args.in - k < kLinearBlock ? args.in - k : kLinearBlock;
      pack<Type, kWidth, false>(weight + k, args.in, outs, count, panel);
      Wanted wanted = wanted_beside<Storage, V>(weight, args.in, k, next_panel);
      for (size_t row = 0; row < args.rows; row += tile) {
        const size_t rows = args.rows - row < tile ? args.rows - row : tile;
        const float* x = args.x + row * args.x_stride + k;
        size_t x_stride = args.x_stride;
        float* tile_sums = sums + row * kWidth;
        if (count < kLinearBlock) {
          with_rows<kTile>(rows, [&](auto m) { block_sums<m.count, V>(x, x_stride, panel, count, tile_sums, k == 0); });
          continue;
        }
        if (kTile > kAddressedRows && rows > kAddressedRows) {
          copy_tile(x, x_stride, rows, kLinearBlock, copied, kLinearBlock);
          x = copied;
          x_stride = kLinearBlock;
        }
        with_rows<kTile>(rows,
                         [&](auto m) { few_row_sums<m.count, V>(x, x_stride, panel, tile_sums, k == 0, wanted); });
      }
    }
    finish_tile(args, sums, kWidth, 0, args.rows, out, outs);
  }
}

// Rows that share one pass over a block of a panel: as many as leave the block, their sums and their x in 3/4 of an L1
// of 32 KiB.
constexpr size_t kL1Floats = 24 * 1024 / sizeof(float);
constexpr size_t kRowGroup = (kL1Floats - kLinearBlock * kPanel) / (kPanel + kLinearBlock) / kRowTile * kRowTile;

// sums[rows][kPanel] += x · panel over `depth` steps of k, block by block; rows <= kRowGroup.
inline void add_panel_sums(size_t rows, const float* x, size_t x_stride, const float* panel, size_t depth, float* sums,
                           bool first) {
  const size_t tile = even_tile(rows, kRowTile);
  for (size_t k = 0; k < depth || first; k += kLinearBlock) {
    const size_t count = depth - k < kLinearBlock ? depth - k : kLinearBlock;
    for (size_t row = 0; row < rows; row += tile) {
      with_rows<kRowTile>(rows - row < tile ? rows - row : tile, [&](auto m) {
        block_sums<m.count, kPanelLanes>(x + row * x_stride + k, x_stride, panel + k * kPanel, count,
                                         sums + row * kPanel, first);
      });
    }
    first = false;
  }
}

// The sums of the parts of k that came before wait in y.
template <class Type>
void gemm_many_rows(const GemmArgs& args) {
  const auto* weight = static_cast<const typename Type::Storage*>(args.weight);
  alignas(64) float sums[kRowGroup * kPanel];
  for (size_t k = 0; k < args.in || k == 0; k += kGemmDepth) {
    const size_t depth = args.in - k < kGemmDepth ? args.in - k : kGemmDepth;
    const bool last = args.in - k <= kGemmDepth;
    for (size_t out = 0; out < args.outs; out += kPanel) {
      const size_t outs = args.outs - out < kPanel ? args.outs - out : kPanel;
      pack<Type, kPanel, true>(weight + out * args.in + k, args.in, outs, depth, args.scratch + out * depth);
    }
    for (size_t row = 0; row < args.rows; row += kRowGroup) {
      const size_t rows = args.rows - row < kRowGroup ? args.rows - row : kRowGroup;
      for (size_t out = 0; out < args.outs; out += kPanel) {
        const size_t outs = args.outs - out < kPanel ? args.outs - out : kPanel;
        float* y = args.y + row * args.y_stride + out;
        if (k > 0) copy_tile(y, args.y_stride, rows, outs, sums, kPanel);
        add_panel_sums(rows, args.x + row * args.x_stride + k, args.x_stride, args.scratch + out * depth, depth, sums,
                       k == 0);
        if (last) {
          finish_tile(args, sums, kPanel, row, rows, out, outs);
        } else {
          copy_tile(sums, kPanel, rows, outs, y, args.y_stride);
        }
      }
    }
  }
}

template <class Type>
void gemm(const GemmArgs& args) {
  if (args.rows <= kNarrowRows) {
    gemm_few_rows<Type, 1>(args);
  } else if (args.rows <= kGemmFewRows) {
    gemm_few_rows<Type, kPanelLanes>(args);
  } else {
    gemm_many_rows<Type>(args);
  }
}

void epilogue(const GemmArgs& args) { finish_tile(args, args.y, args.y_stride, 0, args.rows, 0, args.outs); }

}  // namespace
}  // namespace bert
