// Chooses which weights a product prefetches, and when. It is separate from the arithmetic, whose bits it cannot
// change. The measurements are in engine/DECISIONS.md, "Products in float32".
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "engine/kernels/isa/eight_bit.inl.h"
#include "engine/kernels/kernel_table.h"

namespace bert {
namespace {

constexpr size_t kCacheLine = 64;  // bytes
#if defined(__wasm__)
constexpr bool kCanPrefetch = false;  // this CPU has no prefetch instruction
#else
constexpr bool kCanPrefetch = true;
#endif

// Prefetch addresses are integers: they may be past the weights' end, where a pointer is not allowed.
inline uintptr_t address_of(const void* p) { return reinterpret_cast<uintptr_t>(p); }

// Cache lines of weights that will be transposed later: `runs` runs of 16 lines `stride` bytes apart; each run begins
// `distance` bytes after the one before.
struct PrefetchPlan {
  uintptr_t line;
  size_t stride;
  size_t distance;
  size_t runs;
};

// Panels of 16 outputs are prefetched to L1, because their blocks are small; wider panels to L2.
template <size_t V>
constexpr int kPrefetchLocality = V == 1 ? 3 : 2;

// Returns what to prefetch during the block that begins at input k of the panel of V x 16 outputs at `weight`. If V is
// 1: the panel's next block, so that it is in L1 in time. Otherwise: the same share of the next panel, line after line,
// because a block of 48 rows lies in more pages than a CPU's hardware prefetching follows.
template <class Type, size_t V>
inline PrefetchPlan plan_prefetch(const typename Type::Storage* weight, size_t in, size_t k,
                                  const typename Type::Storage* next_panel) {
  using Storage = typename Type::Storage;
  constexpr size_t kLines = kLinearBlock * sizeof(Storage) / kCacheLine;  // in a row of a block
  if (V == 1) {
    const size_t stride = in * sizeof(Storage);
    if (in - k <= kLinearBlock) return {address_of(next_panel), stride, kCacheLine, next_panel == nullptr ? 0 : kLines};
    // If rows do not begin at a cache line, the next block's first line is this block's last line, and is in the cache.
    const uintptr_t block = address_of(weight + k + kLinearBlock);
    return {(block + kCacheLine - 1) / kCacheLine * kCacheLine, stride, kCacheLine, kLines};
  }
  if (next_panel == nullptr) return {};
  return {address_of(next_panel) + k * V * 16 * sizeof(Storage), kCacheLine, 16 * kCacheLine, V * kLines};
}

// For many rows, packing a panel does its own prefetching: for each of 16 rows, this many bytes ahead, to L1. Rows of
// 8-bit weights are short, so the same place of the next 16 rows is prefetched, to L2.
constexpr size_t kPackingDistance = 256;

template <class Type>
inline void prefetch_packing(const typename Type::Storage* rows, size_t in) {
  const size_t distance = EightBit<Type> ? 16 * in : kPackingDistance;
#pragma GCC unroll 16
  for (size_t i = 0; i < 16; ++i) {
    __builtin_prefetch(reinterpret_cast<const void*>(address_of(rows + i * in) + distance), 0, EightBit<Type> ? 2 : 3);
  }
}

// Prefetches panels that are read from memory one after another: while the tiles of rows compute with a block, each
// tile prefetches an equal share of the next block.
class PanelPrefetch {
 public:
  static constexpr size_t kPartUnits = 8;  // units that a tile computes between two calls of next_part

  // parts: number of parts of all tiles for a block.
  PanelPrefetch(size_t block_floats, size_t parts)
      : block_bytes_(block_floats * sizeof(float)), lines_((block_bytes_ / kCacheLine + parts - 1) / parts) {}

  // Call before the first tile of a block.
  void begin_block(const float* block) { line_ = address_of(block) + block_bytes_; }

  void next_part() {
    for (size_t i = 0; i < lines_; ++i, line_ += kCacheLine) {
      __builtin_prefetch(reinterpret_cast<const void*>(line_), 0, 3);
    }
  }

 private:
  size_t block_bytes_;
  size_t lines_;  // cache lines of a part
  uintptr_t line_ = 0;
};

// For many rows: prefetches the lines of y and the residual that a tile writes at its end, while the tile is computed.
// They lie in as many pages as there are rows, which a CPU's own prefetching does not follow.
inline void prefetch_outputs(const ProductOutput& output, size_t row, size_t rows, size_t out, size_t outs) {
  for (size_t m = row; m < row + rows; ++m) {
    for (size_t c = out; c < out + outs; c += 16) {
      __builtin_prefetch(output.y + m * output.y_stride + c, 1, 3);
      if (output.residual == nullptr) continue;
      __builtin_prefetch(output.residual + m * output.residual_stride + c, 0, 3);
    }
  }
}

}  // namespace
}  // namespace bert
