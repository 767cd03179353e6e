// The sums of 8-bit products for few rows of x. Sums of integers are exact in any order, so lane i adds the units i, i
// + 16, ... of the inputs, and the lanes are added at the end: nothing is transposed, and the weights are read in the
// order of the file. For many rows, adding the lanes costs more than transposing once. Included after quantize.inl.h.
#pragma once

#include "engine/kernels/product_kernel.h"

namespace bert {
namespace {

// While a tile reads its rows of weights, it prefetches those of a later tile, at least this many bytes ahead.
constexpr size_t kDotPrefetchBytes = 12288;

// Sums of kDotRows x kDotOutputs or fewer, each spread over the lanes of an accumulator.
template <class Type, size_t M, size_t N>
struct DotTile {
  static constexpr size_t kInputs = 16 * kInputsOfUnit<Type>;  // of a step
  static constexpr size_t kSums = (M * N + 3) / 4 * 4;
  Lanes accumulators[kSums];

  [[gnu::always_inline]] void begin() {
#pragma GCC unroll 24
    for (size_t i = 0; i < kSums; ++i) accumulators[i] = set1(0.0f);
  }

  // Adds the products of 16 units of each row of x with those of each row of weights.
  [[gnu::always_inline]] void step(const float* x, size_t x_stride, const typename Type::Storage* weight,
                                   size_t weight_stride) {
    Lanes w[N];
#pragma GCC unroll 4
    for (size_t n = 0; n < N; ++n) w[n] = Type::load16(weight + n * weight_stride);
#pragma GCC unroll 8
    for (size_t m = 0; m < M; ++m) {
      const Lanes a = load(x + m * x_stride);
#pragma GCC unroll 4
      for (size_t n = 0; n < N; ++n) {
        accumulators[m * N + n] = Type::multiply_add(a, w[n], accumulators[m * N + n]);
      }
    }
  }

  // Stores sums[m][n]: each accumulator's lanes, added.
  [[gnu::always_inline]] void store_to(float* sums, size_t stride) const {
    float all[kSums];
#pragma GCC unroll 8
    for (size_t i = 0; i < kSums; i += 4) {
      Type::add_lanes(accumulators[i], accumulators[i + 1], accumulators[i + 2], accumulators[i + 3], all + i);
    }
    for (size_t m = 0; m < M; ++m) __builtin_memcpy(sums + m * stride, all + m * N, N * sizeof(float));
  }
};

// Computes sums[M][N] of M quantised rows and N rows of weights, `in` elements each.
template <class Type, size_t M, size_t N>
[[gnu::noinline]] void dot_sums(const float* x, size_t x_stride, const typename Type::Storage* weight, size_t in,
                                float* sums, size_t sums_stride) {
  using Storage = typename Type::Storage;
  DotTile<Type, M, N> tile;
  const size_t tile_bytes = N * in * sizeof(Storage);
  const size_t tiles_ahead = in == 0 ? 0 : (kDotPrefetchBytes + tile_bytes - 1) / tile_bytes;
  constexpr size_t kInputs = tile.kInputs;
  tile.begin();
  size_t k = 0;
  for (; k + kInputs <= in; k += kInputs, x += 16) {
#pragma GCC unroll 4
    for (size_t n = 0; n < N; ++n) {
      const uintptr_t line = address_of(weight + n * in + k) + tiles_ahead * tile_bytes;
      __builtin_prefetch(reinterpret_cast<const void*>(line), 0, 3);
    }
    tile.step(x, x_stride, weight + k, in);
  }
  if (k < in) {
    Storage rest[N * kInputs] = {};
    for (size_t n = 0; n < N; ++n) __builtin_memcpy(rest + n * kInputs, weight + n * in + k, in - k);
    tile.step(x, x_stride, rest, kInputs);
  }
  tile.store_to(sums, sums_stride);
}

// Computes sums[rows][outs] of the quantised rows x and `outs` rows of weights.
template <class Type>
void few_row_dots(const float* x, size_t x_stride, const typename Type::Storage* weight, size_t in, size_t rows,
                  size_t outs, float* sums, size_t sums_stride) {
  const size_t tile = even_tile(rows, kDotRows);
  for (size_t out = 0; out < outs;) {
    const bool is_whole = outs - out >= kDotOutputs;
    for (size_t row = 0; row < rows; row += tile) {
      with_rows<kDotRows>(rows - row < tile ? rows - row : tile, [&](auto m) {
        const auto dots = is_whole ? dot_sums<Type, m.count, kDotOutputs> : dot_sums<Type, m.count, 1>;
        dots(x + row * x_stride, x_stride, weight + out * in, in, sums + row * sums_stride + out, sums_stride);
      });
    }
    out += is_whole ? kDotOutputs : 1;
  }
}

}  // namespace
}  // namespace bert
