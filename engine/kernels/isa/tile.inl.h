// Tiles: the sums of some rows by some Lanes of columns, in registers. Used by products and attention.
// Included after row_ops.inl.h.
#pragma once

#include "engine/kernels/product_kernel.h"

namespace bert {
namespace {

// One accumulator for each of M rows by V x 16 columns.
template <size_t M, size_t V>
struct Tile {
  Lanes accumulators[M][V];

  [[gnu::always_inline]] void clear() {
#pragma GCC unroll 16
    for (size_t m = 0; m < M; ++m) {
#pragma GCC unroll 4
      for (size_t v = 0; v < V; ++v) accumulators[m][v] = set1(0.0f);
    }
  }

  // Adds x[m] times row[column] to each.
  [[gnu::always_inline]] void step(const float* x, size_t x_stride, const float* row) {
    Lanes b[V];
#pragma GCC unroll 4
    for (size_t v = 0; v < V; ++v) b[v] = load(row + v * 16);
#pragma GCC unroll 16
    for (size_t m = 0; m < M; ++m) {
      const Lanes a = set1(x[m * x_stride]);
#pragma GCC unroll 4
      for (size_t v = 0; v < V; ++v) accumulators[m][v] = fma(a, b[v], accumulators[m][v]);
    }
  }

  // sums[m][column] = the accumulator for the first block, else += it.
  [[gnu::always_inline]] void add_to(float* sums, size_t stride, bool first) const {
#pragma GCC unroll 16
    for (size_t m = 0; m < M; ++m) {
#pragma GCC unroll 4
      for (size_t v = 0; v < V; ++v) {
        float* sum = sums + m * stride + v * 16;
        store(sum, first ? accumulators[m][v] : add(load(sum), accumulators[m][v]));
      }
    }
  }
};

template <size_t M>
struct Rows {
  static constexpr size_t count = M;
};

// Calls use(Rows<rows>()) for a number of rows known only at run time, at most M.
template <size_t M, class Use>
inline void with_rows(size_t rows, const Use& use) {
  if constexpr (M > 0) {
    if (rows == M) return use(Rows<M>());
    with_rows<M - 1>(rows, use);
  }
}

// The number of rows per tile that splits `rows` into the fewest tiles of at most `most` rows, as evenly as possible.
inline size_t even_tile(size_t rows, size_t most) {
  const size_t tiles = (rows + most - 1) / most;
  return tiles == 0 ? most : (rows + tiles - 1) / tiles;
}

// A tile of 16 by 16 at the matrix's edge, transposed; what is past the edge is 0.
template <class Type>
void transpose_edge(const typename Type::Storage* rows, size_t stride, size_t outs, size_t count, float* to,
                    size_t to_stride) {
  for (size_t j = 0; j < count; ++j) {
    for (size_t i = 0; i < 16; ++i) to[j * to_stride + i] = i < outs ? Type::widen(rows[i * stride + j]) : 0.0f;
  }
}

inline void copy_tile(const float* from, size_t from_stride, size_t rows, size_t cols, float* to, size_t to_stride) {
  for (size_t m = 0; m < rows; ++m) {
    size_t c = 0;
    for (; c + 16 <= cols; c += 16) store(to + m * to_stride + c, load(from + m * from_stride + c));
    for (; c < cols; ++c) to[m * to_stride + c] = from[m * from_stride + c];
  }
}

}  // namespace
}  // namespace bert
