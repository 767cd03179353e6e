// Tiles: the sums of some rows by some Lanes of columns, in registers. Used by products and attention.
// Included after parts.inl.h.
//
// A tile computes with units of 32 bits: a float, or kInputsOfUnit narrower weights of adjacent inputs, and the
// matching parts of x. The sums of 8-bit weights are 32-bit integers in the lanes of a Lanes; these sums are exact, so
// a tile may continue the sums of earlier inputs.
#pragma once

#include "engine/kernels/isa/eight_bit.inl.h"
#include "engine/kernels/product_kernel.h"

namespace bert {
namespace {

// The type that decides how a tile computes; floating-point weights are floats in a panel.
template <class Type>
struct TileType {
  using Sums = F32;
};
template <EightBit Type>
struct TileType<Type> {
  using Sums = Type;
};
template <class Type>
requires requires { typename Type::Sums; }
struct TileType<Type> {
  using Sums = typename Type::Sums;
};
template <class Type>
using SumsOf = typename TileType<Type>::Sums;

// For floats: how many units an accumulator adds before its sum is added to those of earlier blocks.
template <class Type>
constexpr size_t kBlockUnits = kLinearBlock;
template <class Type>
requires requires { Type::kBlockUnits; }
constexpr size_t kBlockUnits<Type> = Type::kBlockUnits;

// Whether units are added in pairs, the second unit of each pair first.
template <class Type>
concept InOddFirstPairs = requires {
  Type::kOddFirst;
};

// TileLanes is a Lanes, or a part of it if there are too few registers for whole ones. A tile then computes its columns
// in several passes: a pass has the first columns of every 16, and the next pass begins kTileLanes columns later.
constexpr size_t kTileLanes = sizeof(TileLanes) / sizeof(float);

template <class Part>
[[gnu::always_inline]] inline Part load_lanes(const float* p) {
  if constexpr (kTileLanes == 16) {
    return load(p);
  } else {
    return Part::load(p);
  }
}
template <class Part>
[[gnu::always_inline]] inline Part lanes_of(float x) {
  if constexpr (kTileLanes == 16) {
    return set1(x);
  } else {
    return Part::set1(x);
  }
}

// The accumulators of M rows by V x 16 columns. If a tile needs several passes, they hold the columns of one pass.
template <size_t M, size_t V>
struct Tile {
  static constexpr size_t kUnitStride = 1;  // floats between two units of a row of x
  TileLanes accumulators[M][V];

  // first: there are no sums of earlier blocks.
  template <class Type = F32>
  [[gnu::always_inline]] void begin([[maybe_unused]] const float* sums, [[maybe_unused]] size_t stride,
                                    [[maybe_unused]] bool first) {
#pragma GCC unroll 16
    for (size_t m = 0; m < M; ++m) {
#pragma GCC unroll 4
      for (size_t v = 0; v < V; ++v) {
        if constexpr (EightBit<Type>) {
          accumulators[m][v] = first ? lanes_of<TileLanes>(0.0f) : load_lanes<TileLanes>(sums + m * stride + v * 16);
        } else {
          accumulators[m][v] = lanes_of<TileLanes>(0.0f);
        }
      }
    }
  }

  // Adds x[m] times row[column] to each accumulator.
  template <class Type = F32>
  [[gnu::always_inline]] void step(const float* x, size_t x_stride, const float* row) {
    TileLanes b[V];
#pragma GCC unroll 4
    for (size_t v = 0; v < V; ++v) b[v] = load_lanes<TileLanes>(row + v * 16);
#pragma GCC unroll 16
    for (size_t m = 0; m < M; ++m) {
      const TileLanes a = lanes_of<TileLanes>(x[m * x_stride]);
#pragma GCC unroll 4
      for (size_t v = 0; v < V; ++v) {
        if constexpr (requires { Type::multiply_add(a, b[v], accumulators[m][v]); }) {
          accumulators[m][v] = Type::multiply_add(a, b[v], accumulators[m][v]);
        } else {
          accumulators[m][v] = fma(a, b[v], accumulators[m][v]);
        }
      }
    }
  }

  // Adds x[m][0 .. count) times panel[count][column]; rows of the panel are `panel_stride` floats apart.
  template <class Type = F32>
  [[gnu::always_inline]] void steps(const float* x, size_t x_stride, const float* panel, size_t panel_stride,
                                    size_t count) {
    size_t k = 0;
    if constexpr (kStepUnits > 1) {
      for (; k + kStepUnits <= count; k += kStepUnits)
        whole_step<Type>(x + k, x_stride, panel + k * panel_stride, panel_stride);
    }
    if constexpr (InOddFirstPairs<Type>) {
      for (; k + 2 <= count; k += 2) {
        step<Type>(x + k + 1, x_stride, panel + (k + 1) * panel_stride);
        step<Type>(x + k, x_stride, panel + k * panel_stride);
      }
    }
    if constexpr (requires { Type::kStepPairs; }) {
      for (; k + 2 <= count; k += 2) {
        step<Type>(x + k, x_stride, panel + k * panel_stride);
        step<Type>(x + k + 1, x_stride, panel + (k + 1) * panel_stride);
      }
    }
    for (; k < count; ++k) step<Type>(x + k, x_stride, panel + k * panel_stride);
  }

  // Does kStepUnits steps.
  template <class Type = F32>
  [[gnu::always_inline]] void whole_step(const float* x, size_t x_stride, const float* panel, size_t panel_stride) {
    if constexpr (kStepUnits == 1) {
      step<Type>(x, x_stride, panel);
    } else {
      decltype(Type::load_units(x)) a[M];
#pragma GCC unroll 16
      for (size_t m = 0; m < M; ++m) a[m] = Type::load_units(x + m * x_stride);
      constexpr int kFirst = InOddFirstPairs<Type> ? 1 : 0, kSecond = 1 - kFirst;
      unit_step<Type, kFirst>(a, panel + kFirst * panel_stride);
      unit_step<Type, kSecond>(a, panel + kSecond * panel_stride);
      unit_step<Type, 2 + kFirst>(a, panel + (2 + kFirst) * panel_stride);
      unit_step<Type, 2 + kSecond>(a, panel + (2 + kSecond) * panel_stride);
    }
  }

  // Adds unit i of each x[m] times row[column] to each accumulator.
  template <class Type, int i, class Units>
  [[gnu::always_inline]] void unit_step(const Units* x, const float* row) {
#pragma GCC unroll 4
    for (size_t v = 0; v < V; ++v) {
      const Lanes b = load(row + v * 16);
#pragma GCC unroll 16
      for (size_t m = 0; m < M; ++m) {
        accumulators[m][v] = Type::template multiply_add_unit<i>(x[m], b, accumulators[m][v]);
      }
    }
  }

  // Sets sums[m][column] to the accumulator for the first block; adds the accumulator for later blocks.
  template <class Type = F32>
  [[gnu::always_inline]] void add_to(float* sums, size_t stride, bool first) const {
#pragma GCC unroll 16
    for (size_t m = 0; m < M; ++m) {
#pragma GCC unroll 4
      for (size_t v = 0; v < V; ++v) {
        float* sum = sums + m * stride + v * 16;
        store(sum, first || EightBit<Type> ? accumulators[m][v] : add(load_lanes<TileLanes>(sum), accumulators[m][v]));
      }
    }
  }
};

// A type of 8-bit weights may have its own tile, with kUnitStride and the functions of Tile for panels of 16 outputs,
// and:
//   kRows         rows of a tile, even; smaller tiles also have an even number of rows, except the last one
//   kStepUnits    units of a row that it always takes together
//   arrange_rows  writes a tile's rows of x in the order in which `steps` reads them: (rows + 1) x count units at most
template <class Type>
concept HasTile = requires {
  typename Type::template Tile<1>;
};
template <class Type, size_t M, size_t V>
struct TileOf {
  using Tile = bert::Tile<M, V>;
  static constexpr size_t kRows = kRowTile;
  static constexpr size_t kUnits = 1;
};
template <HasTile Type, size_t M>
struct TileOf<Type, M, 1> {
  using Tile = typename Type::template Tile<M>;
  static constexpr size_t kRows = Type::kRows;
  static constexpr size_t kUnits = Type::kStepUnits;
};
// Rows of a tile; the number of units is a multiple of the other constant.
template <class Type>
constexpr size_t kTileRows = TileOf<Type, 1, kPanelLanes>::kRows;
template <class Type>
constexpr size_t kUnitMultiple = TileOf<Type, 1, kPanelLanes>::kUnits;

template <size_t M>
struct Rows {
  static constexpr size_t count = M;
};

// Calls use(Rows<rows>()) for a number of rows that is known only at run time, at most M.
template <size_t M, class Use>
inline void with_rows(size_t rows, const Use& use) {
  if constexpr (M > 0) {
    if (rows == M) return use(Rows<M>());
    with_rows<M - 1>(rows, use);
  }
}

// Returns the rows per tile that split `rows` into the fewest tiles of at most `most` rows, as evenly as possible.
inline size_t even_tile(size_t rows, size_t most) {
  const size_t tiles = (rows + most - 1) / most;
  return tiles == 0 ? most : (rows + tiles - 1) / tiles;
}

// Returns the unit of `count` elements at p; elements past the end are 0.
template <class Type>
inline float unit_of(const typename Type::Storage* p, [[maybe_unused]] size_t count) {
  if constexpr (EightBit<Type>) {
    typename Type::Weight inputs[kInputsOfUnit<Type>] = {};
    for (size_t i = 0; i < kInputsOfUnit<Type> && i < count; ++i) inputs[i] = p[i];
    float unit;
    __builtin_memcpy(&unit, inputs, sizeof unit);
    return unit;
  } else if constexpr (requires { Type::unit(p, count); }) {
    return Type::unit(p, count);
  } else {
    return Type::widen(*p);
  }
}

// Transposes a tile of at most 16 outputs by `inputs` inputs at the matrix's edge; elements past the edge are 0.
template <class Type>
void transpose_edge(const typename Type::Storage* rows, size_t stride, size_t outs, size_t inputs, float* to,
                    size_t to_stride) {
  constexpr size_t kStep = kInputsOfUnit<Type>;
  for (size_t j = 0; j < inputs; j += kStep, to += to_stride) {
    for (size_t i = 0; i < 16; ++i) to[i] = i < outs ? unit_of<Type>(rows + i * stride + j, inputs - j) : 0.0f;
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
