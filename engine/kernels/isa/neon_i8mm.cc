// 8-bit products by SMMLA, which multiplies two rows of eight signed bytes with two others: twice the products of SDOT.
// Few rows use SDOT.
#include "engine/kernels/isa/lanes_neon.h"
// the Lanes first
#include "engine/kernels/isa/dotprod.inl.h"

namespace bert {
namespace {

inline float32x4_t low_halves(float32x4_t x, float32x4_t y) {
  return vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(x), vreinterpretq_f64_f32(y)));
}
inline float32x4_t high_halves(float32x4_t x, float32x4_t y) {
  return vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(x), vreinterpretq_f64_f32(y)));
}

// The sums of M rows by 16 outputs. A register holds the sums of two rows and two outputs.
template <size_t M>
struct MatrixTile {
  static constexpr size_t kPairs = (M + 1) / 2;
  static constexpr size_t kUnitStride = 2 * kPairs;  // as arrange_rows writes them
  float32x4_t accumulators[kPairs][8];

  // The last pair may lack its second row; then the first row is computed twice and stored once.
  static constexpr size_t second(size_t pair) { return 2 * pair + 1 < M ? 2 * pair + 1 : 2 * pair; }

  template <class Type>
  [[gnu::always_inline]] void begin(const float* sums, size_t stride, bool first) {
#pragma GCC unroll 4
    for (size_t pair = 0; pair < kPairs; ++pair) {
#pragma GCC unroll 4
      for (size_t i = 0; i < 4; ++i) {
        const float32x4_t x = first ? vdupq_n_f32(0.0f) : vld1q_f32(sums + 2 * pair * stride + 4 * i);
        const float32x4_t y = first ? vdupq_n_f32(0.0f) : vld1q_f32(sums + second(pair) * stride + 4 * i);
        accumulators[pair][2 * i] = low_halves(x, y);
        accumulators[pair][2 * i + 1] = high_halves(x, y);
      }
    }
  }

  // Takes an even number of units, with x as arrange_rows writes it; the loads of several registers are one instruction
  // each.
  template <class Type>
  [[gnu::always_inline]] void steps(const float* x, size_t, const float* panel, size_t panel_stride, size_t count) {
    for (size_t k = 0; k < count; k += 2, x += 4 * kPairs, panel += 2 * panel_stride) {
      const auto rows = load_rows(x);
      // volatile keeps this order. Otherwise Clang 14 loads so many weights ahead that sums are spilled.
#pragma GCC unroll 2
      for (size_t i = 0; i < 8; i += 4) {
        const float32x4x4_t weights = vld1q_f32_x4(panel + 4 * i);
#pragma GCC unroll 4
        for (size_t j = 0; j < 4; ++j) {
#pragma GCC unroll 4
          for (size_t pair = 0; pair < kPairs; ++pair) {
            asm volatile("smmla %0.4s, %1.16b, %2.16b"
                         : "+w"(accumulators[pair][i + j])
                         : "w"(rows.val[pair]), "w"(weights.val[j]));
          }
        }
      }
    }
  }

  static auto load_rows(const float* x) {
    static_assert(kPairs <= 3);
    if constexpr (kPairs == 3) return vld1q_f32_x3(x);
    if constexpr (kPairs == 2) return vld1q_f32_x2(x);
    if constexpr (kPairs == 1) return OneRegister{{vld1q_f32(x)}};
  }
  struct OneRegister {
    float32x4_t val[1];
  };

  // The accumulators include the sums of earlier blocks.
  template <class Type>
  [[gnu::always_inline]] void add_to(float* sums, size_t stride, bool) const {
#pragma GCC unroll 4
    for (size_t pair = 0; pair < kPairs; ++pair) {
#pragma GCC unroll 4
      for (size_t i = 0; i < 4; ++i) {
        const float32x4_t x = accumulators[pair][2 * i], y = accumulators[pair][2 * i + 1];
        vst1q_f32(sums + 2 * pair * stride + 4 * i, low_halves(x, y));
        if (2 * pair + 1 < M) vst1q_f32(sums + (2 * pair + 1) * stride + 4 * i, high_halves(x, y));
      }
    }
  }
};

// In a panel the two units of eight adjacent inputs of an output are adjacent.
struct I8Matrix : I8Dot {
  template <size_t M>
  using Tile = MatrixTile<M>;
  static constexpr size_t kRows = 6;  // 24 sums, 3 pairs of rows and 4 weights are 31 of the 32 registers
  static constexpr size_t kStepUnits = 2;

  // Writes to[count / 2][pairs][2][2]: two units of each row of each pair. The last pair may lack its second row.
  static void arrange_rows(const float* x, size_t x_stride, size_t rows, size_t count, float* to) {
    const size_t step = (rows + 1) / 2 * 4;
    for (size_t row = 0; row < rows; row += 2, to += 4) {
      const float* first = x + row * x_stride;
      const float* second = row + 1 < rows ? first + x_stride : first;
      float* next = to;
      size_t k = 0;
      for (; k + 4 <= count; k += 4, next += 2 * step) {
        const float32x4_t a = vld1q_f32(first + k), b = vld1q_f32(second + k);
        vst1q_f32(next, low_halves(a, b));
        vst1q_f32(next + step, high_halves(a, b));
      }
      if (k < count) vst1q_f32(next, vcombine_f32(vld1_f32(first + k), vld1_f32(second + k)));
    }
  }
};

template <>
inline void transpose16<I8Matrix>(const int8_t* rows, size_t stride, float* to, size_t to_stride) {
#pragma GCC unroll 8
  for (size_t i = 0; i < 16; i += 2) {
#pragma GCC unroll 4
    for (size_t j = 0; j < 64; j += 16) {
      const float32x4_t x = I8Dot::load4(rows + i * stride + j), y = I8Dot::load4(rows + (i + 1) * stride + j);
      vst1q_f32(to + j / 4 * to_stride + 2 * i, low_halves(x, y));
      vst1q_f32(to + (j / 4 + 2) * to_stride + 2 * i, high_halves(x, y));
    }
  }
}

template <>
void transpose_edge<I8Matrix>(const int8_t* rows, size_t stride, size_t outs, size_t inputs, float* to,
                              size_t to_stride) {
  for (size_t j = 0; j < inputs; j += 8, to += 2 * to_stride) {
    for (size_t i = 0; i < 16; ++i) {
      int8_t eight[8] = {};
      for (size_t b = 0; i < outs && b < 8 && j + b < inputs; ++b) eight[b] = rows[i * stride + j + b];
      __builtin_memcpy(to + 2 * i, eight, sizeof eight);
    }
  }
}

}  // namespace

constinit const Int8ProductKernels kI8mmInt8Products = make_int8_products<I8Matrix>("i8mm");

}  // namespace bert
