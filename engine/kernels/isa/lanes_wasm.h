// Sixteen float lanes in four registers of WebAssembly's SIMD128, with the operations of lanes_portable.h. A file that
// defines BERT_RELAXED_SIMD uses the relaxed multiply-add, which is fused on engines for which
// engine/base/relaxed_simd.cc says so. Without it, a fused multiply-add is computed in float64.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <wasm_simd128.h>

#include "engine/kernels/isa/eight_bit.inl.h"

namespace bert {
namespace {

struct Lanes {
  v128_t a, b, c, d;
};
using Mask = Lanes;
struct Doubles {
  v128_t v[8];
};

// Half of a Lanes: 12 sums, 2 weights and 1 input are the 15 registers that V8 offers on x86-64.
struct TileLanes {
  v128_t a, b;
  static TileLanes load(const float* p) { return {wasm_v128_load(p), wasm_v128_load(p + 4)}; }
  static TileLanes set1(float x) {
    const v128_t all = wasm_f32x4_splat(x);
    return {all, all};
  }
};

constexpr size_t kRowTile = 6;
constexpr size_t kPanelLanes = 1;
constexpr size_t kStepUnits = 1;
constexpr size_t kQueries = 6;         // rows of a tile of attention
constexpr size_t kMaxGroupPanels = 6;  // 6 panels of 16 outputs with 768 of k are 288 KiB of an L2 of 512 KiB
constexpr size_t kDotRows = 2;
constexpr size_t kDotOutputs = 1;
constexpr size_t kInt8FewRows = 6;

inline Lanes load(const float* p) {
  return {wasm_v128_load(p), wasm_v128_load(p + 4), wasm_v128_load(p + 8), wasm_v128_load(p + 12)};
}
inline void store(float* p, Lanes x) {
  wasm_v128_store(p, x.a);
  wasm_v128_store(p + 4, x.b);
  wasm_v128_store(p + 8, x.c);
  wasm_v128_store(p + 12, x.d);
}
inline void store(float* p, TileLanes x) {
  wasm_v128_store(p, x.a);
  wasm_v128_store(p + 4, x.b);
}
inline Lanes set1(float x) {
  const v128_t all = wasm_f32x4_splat(x);
  return {all, all, all, all};
}

// Apply the operation to each register of x, of x and y, or of x, y and z.
template <class Operation>
inline Lanes each(Lanes x, Operation f) {
  return {f(x.a), f(x.b), f(x.c), f(x.d)};
}
template <class Operation>
inline Lanes each(Lanes x, Lanes y, Operation f) {
  return {f(x.a, y.a), f(x.b, y.b), f(x.c, y.c), f(x.d, y.d)};
}
template <class Operation>
inline Lanes each(Lanes x, Lanes y, Lanes z, Operation f) {
  return {f(x.a, y.a, z.a), f(x.b, y.b, z.b), f(x.c, y.c, z.c), f(x.d, y.d, z.d)};
}

inline Lanes add(Lanes x, Lanes y) {
  return each(x, y, [](v128_t i, v128_t j) { return wasm_f32x4_add(i, j); });
}
inline TileLanes add(TileLanes x, TileLanes y) { return {wasm_f32x4_add(x.a, y.a), wasm_f32x4_add(x.b, y.b)}; }
inline Lanes sub(Lanes x, Lanes y) {
  return each(x, y, [](v128_t i, v128_t j) { return wasm_f32x4_sub(i, j); });
}
inline Lanes mul(Lanes x, Lanes y) {
  return each(x, y, [](v128_t i, v128_t j) { return wasm_f32x4_mul(i, j); });
}
inline Lanes div(Lanes x, Lanes y) {
  return each(x, y, [](v128_t i, v128_t j) { return wasm_f32x4_div(i, j); });
}

inline v128_t low_doubles(v128_t x) { return wasm_f64x2_promote_low_f32x4(x); }
inline v128_t high_doubles(v128_t x) { return wasm_f64x2_promote_low_f32x4(wasm_i64x2_shuffle(x, x, 1, 1)); }
inline v128_t narrow_pairs(v128_t low, v128_t high) {
  return wasm_i64x2_shuffle(wasm_f32x4_demote_f64x2_zero(low), wasm_f32x4_demote_f64x2_zero(high), 0, 2);
}

#if defined(BERT_RELAXED_SIMD)
constexpr const char* kName = "relaxed";

inline v128_t fma(v128_t x, v128_t y, v128_t z) { return wasm_f32x4_relaxed_madd(x, y, z); }
inline v128_t double_fma(v128_t x, v128_t y, v128_t z) { return wasm_f64x2_relaxed_madd(x, y, z); }
#else
constexpr const char* kName = "simd128";

// Returns product + z in float64, rounded to odd. Rounding it to a float equals rounding the exact sum once (Boldo and
// Melquiond 2008, theorem 2). The error of the sum is exact (Knuth's TwoSum).
inline v128_t odd_sum(v128_t product, v128_t z) {
  const v128_t sum = wasm_f64x2_add(product, z);
  const v128_t part = wasm_f64x2_sub(sum, product);
  const v128_t error = wasm_f64x2_add(wasm_f64x2_sub(product, wasm_f64x2_sub(sum, part)), wasm_f64x2_sub(z, part));
  const v128_t one = wasm_i64x2_splat(1);
  const v128_t is_even = wasm_i64x2_eq(wasm_v128_and(sum, one), wasm_i64x2_splat(0));
  const v128_t is_inexact = wasm_f64x2_ne(error, wasm_f64x2_splat(0));
  const v128_t towards = wasm_v128_or(wasm_i64x2_shr(wasm_v128_xor(sum, error), 63), one);  // 1 away from 0, or -1
  return wasm_i64x2_add(sum, wasm_v128_and(towards, wasm_v128_and(is_even, is_inexact)));
}

// Whether rounding the float64 sum to a float may differ from rounding the exact sum once: if it is in the middle of
// two floats, or below the smallest normal float. Elsewhere the exact sum is on the same side of every middle.
inline v128_t is_doubtful(v128_t sum) {
  const v128_t middle = wasm_i64x2_eq(wasm_v128_and(sum, wasm_i64x2_splat(0x1FFFFFFF)), wasm_i64x2_splat(0x10000000));
  const v128_t size = wasm_f64x2_abs(sum);
  const v128_t small =
      wasm_v128_andnot(wasm_f64x2_lt(size, wasm_f64x2_splat(0x1p-126)), wasm_f64x2_eq(size, wasm_f64x2_splat(0)));
  return wasm_v128_or(middle, small);
}

// The product of two floats is exact in float64.
inline v128_t fma(v128_t x, v128_t y, v128_t z) {
  const v128_t low = wasm_f64x2_mul(low_doubles(x), low_doubles(y)), z_low = low_doubles(z);
  const v128_t high = wasm_f64x2_mul(high_doubles(x), high_doubles(y)), z_high = high_doubles(z);
  const v128_t low_sum = wasm_f64x2_add(low, z_low), high_sum = wasm_f64x2_add(high, z_high);
  if (__builtin_expect(wasm_v128_any_true(wasm_v128_or(is_doubtful(low_sum), is_doubtful(high_sum))), 0)) {
    return narrow_pairs(odd_sum(low, z_low), odd_sum(high, z_high));
  }
  return narrow_pairs(low_sum, high_sum);
}
// The C library's fma is exact.
inline v128_t double_fma(v128_t x, v128_t y, v128_t z) {
  const auto lane = [&](double i, double j, double k) { return __builtin_fma(i, j, k); };
  return wasm_f64x2_make(
      lane(wasm_f64x2_extract_lane(x, 0), wasm_f64x2_extract_lane(y, 0), wasm_f64x2_extract_lane(z, 0)),
      lane(wasm_f64x2_extract_lane(x, 1), wasm_f64x2_extract_lane(y, 1), wasm_f64x2_extract_lane(z, 1)));
}
#endif

inline Lanes fma(Lanes x, Lanes y, Lanes z) {
  return each(x, y, z, [](v128_t i, v128_t j, v128_t k) { return fma(i, j, k); });
}
inline TileLanes fma(TileLanes x, TileLanes y, TileLanes z) { return {fma(x.a, y.a, z.a), fma(x.b, y.b, z.b)}; }
// The pseudo-maximum of y and x is x if y < x, else y.
inline v128_t max(v128_t x, v128_t y) { return wasm_f32x4_pmax(y, x); }
inline v128_t min(v128_t x, v128_t y) { return wasm_f32x4_pmin(y, x); }
inline Lanes max(Lanes x, Lanes y) {
  return each(x, y, [](v128_t i, v128_t j) { return max(i, j); });
}
inline Lanes min(Lanes x, Lanes y) {
  return each(x, y, [](v128_t i, v128_t j) { return min(i, j); });
}
inline Lanes abs(Lanes x) {
  return each(x, [](v128_t i) { return wasm_f32x4_abs(i); });
}
inline Mask less(Lanes x, Lanes y) {
  return each(x, y, [](v128_t i, v128_t j) { return wasm_f32x4_lt(i, j); });
}
inline Lanes select(Mask mask, Lanes yes, Lanes no) {
  return each(yes, no, mask, [](v128_t i, v128_t j, v128_t m) { return wasm_v128_bitselect(i, j, m); });
}
// 2^n may be too small for a float, so it is applied in two halves; the first product is exact, the second rounds.
inline Lanes scale_by_power_of_2(Lanes x, Lanes n) {
  const auto power = [](v128_t e) { return wasm_i32x4_shl(wasm_i32x4_add(e, wasm_i32x4_splat(127)), 23); };
  return each(x, n, [&](v128_t i, v128_t j) {
    const v128_t exponent = wasm_i32x4_trunc_sat_f32x4(j);
    const v128_t half = wasm_i32x4_shr(exponent, 1);
    return wasm_f32x4_mul(wasm_f32x4_mul(i, power(half)), power(wasm_i32x4_sub(exponent, half)));
  });
}
inline Lanes exponent_of(Lanes x) {
  return each(x, [](v128_t i) {
    return wasm_f32x4_convert_i32x4(wasm_i32x4_sub(wasm_i32x4_shr(i, 23), wasm_i32x4_splat(127)));
  });
}
inline v128_t rounded_to_bfloat16(v128_t x) {
  const v128_t odd = wasm_v128_and(wasm_u32x4_shr(x, 16), wasm_i32x4_splat(1));
  const v128_t nearest = wasm_i32x4_add(x, wasm_i32x4_add(odd, wasm_i32x4_splat(0x7FFF)));
  const v128_t quiet = wasm_v128_or(x, wasm_i32x4_splat(0x400000));
  const v128_t number = wasm_v128_bitselect(nearest, quiet, wasm_f32x4_eq(x, x));
  const v128_t is_small = wasm_f32x4_lt(wasm_f32x4_abs(x), wasm_f32x4_splat(0x1p-56f));
  const v128_t kept = wasm_v128_bitselect(wasm_i32x4_splat(INT32_MIN), wasm_i32x4_splat(-0x10000), is_small);
  return wasm_v128_and(number, kept);
}
inline Lanes rounded_to_bfloat16(Lanes x) {
  return each(x, [](v128_t i) { return rounded_to_bfloat16(i); });
}
inline Lanes lookup(const float (&table)[16], Lanes places) {
  return each(places, [&](v128_t i) {
    const v128_t place = wasm_v128_and(i, wasm_i32x4_splat(15));
    const v128_t four =
        wasm_i32x4_add(wasm_i32x4_mul(place, wasm_i32x4_splat(0x04040404)), wasm_i32x4_splat(0x03020100));
    const auto quarter = [&](int n) {
      const v128_t bytes = wasm_i8x16_sub(four, wasm_i8x16_splat(static_cast<int8_t>(16 * n)));
      return wasm_i8x16_swizzle(wasm_v128_load(table + 4 * n), bytes);
    };
    return wasm_v128_or(wasm_v128_or(quarter(0), quarter(1)), wasm_v128_or(quarter(2), quarter(3)));
  });
}

#define BERT_EACH_PAIR for (int i = 0; i < 8; ++i)

inline Doubles load(const double* p) {
  Doubles r;
  BERT_EACH_PAIR r.v[i] = wasm_v128_load(p + 2 * i);
  return r;
}
inline void store(double* p, Doubles x) { BERT_EACH_PAIR wasm_v128_store(p + 2 * i, x.v[i]); }
inline Doubles set1(double x) {
  Doubles r;
  BERT_EACH_PAIR r.v[i] = wasm_f64x2_splat(x);
  return r;
}
inline Doubles add(Doubles x, Doubles y) {
  BERT_EACH_PAIR x.v[i] = wasm_f64x2_add(x.v[i], y.v[i]);
  return x;
}
inline Doubles sub(Doubles x, Doubles y) {
  BERT_EACH_PAIR x.v[i] = wasm_f64x2_sub(x.v[i], y.v[i]);
  return x;
}
inline Doubles mul(Doubles x, Doubles y) {
  BERT_EACH_PAIR x.v[i] = wasm_f64x2_mul(x.v[i], y.v[i]);
  return x;
}
inline Doubles fma(Doubles x, Doubles y, Doubles z) {
  BERT_EACH_PAIR z.v[i] = double_fma(x.v[i], y.v[i], z.v[i]);
  return z;
}

#undef BERT_EACH_PAIR

inline Doubles widen(Lanes x) {
  return {{low_doubles(x.a), high_doubles(x.a), low_doubles(x.b), high_doubles(x.b), low_doubles(x.c),
           high_doubles(x.c), low_doubles(x.d), high_doubles(x.d)}};
}
inline Doubles load_doubles(const float* p) { return widen(load(p)); }
inline Lanes narrow(Doubles x) {
  return {narrow_pairs(x.v[0], x.v[1]), narrow_pairs(x.v[2], x.v[3]), narrow_pairs(x.v[4], x.v[5]),
          narrow_pairs(x.v[6], x.v[7])};
}
inline double square_root(double x) { return __builtin_sqrt(x); }

// The halves are added (compared) until one number is left.
inline float sum_of(Lanes x) {
  const v128_t four = wasm_f32x4_add(wasm_f32x4_add(x.a, x.c), wasm_f32x4_add(x.b, x.d));
  const v128_t two = wasm_f32x4_add(four, wasm_i64x2_shuffle(four, four, 1, 0));
  return wasm_f32x4_extract_lane(two, 0) + wasm_f32x4_extract_lane(two, 1);
}
inline float max_of(Lanes x) {
  const v128_t four = max(max(x.a, x.c), max(x.b, x.d));
  const v128_t two = max(four, wasm_i64x2_shuffle(four, four, 1, 0));
  const float first = wasm_f32x4_extract_lane(two, 0), second = wasm_f32x4_extract_lane(two, 1);
  return first > second ? first : second;
}
inline double sum_of(Doubles x) {
  const auto both = [&](int i) { return wasm_f64x2_add(x.v[i], x.v[i + 4]); };
  const v128_t two = wasm_f64x2_add(wasm_f64x2_add(both(0), both(2)), wasm_f64x2_add(both(1), both(3)));
  return wasm_f64x2_extract_lane(two, 0) + wasm_f64x2_extract_lane(two, 1);
}

struct F32 {
  using Storage = float;
  static float widen(Storage x) { return x; }
  static v128_t load4(const Storage* p) { return wasm_v128_load(p); }
  static Lanes load16(const Storage* p) { return load(p); }
};
struct BF16 {
  using Storage = uint16_t;
  static float widen(Storage x) {
    const uint32_t bits = static_cast<uint32_t>(x) << 16;
    float r;
    __builtin_memcpy(&r, &bits, 4);
    return r;
  }
  static v128_t load4(const Storage* p) { return wasm_i32x4_shl(wasm_u32x4_load16x4(p), 16); }
  static Lanes load16(const Storage* p) { return {load4(p), load4(p + 4), load4(p + 8), load4(p + 12)}; }
};
struct F16 {
  using Storage = uint16_t;
  // The bits in their place are the number times 2^-112, also of a number too small to be normal in 16 bits.
  static v128_t load4(const Storage* p) {
    const v128_t half = wasm_u32x4_load16x4(p);
    const v128_t bits = wasm_i32x4_shl(wasm_v128_and(half, wasm_i32x4_splat(0x7FFF)), 13);
    const v128_t number = wasm_f32x4_mul(bits, wasm_f32x4_splat(0x1p112f));
    const v128_t infinity = wasm_i32x4_splat(0x7C00 << 13);
    const v128_t exponent = wasm_v128_and(wasm_i32x4_ge(bits, infinity), wasm_i32x4_splat(0x7F800000));
    const v128_t quiet = wasm_v128_and(wasm_i32x4_gt(bits, infinity), wasm_i32x4_splat(0x400000));
    const v128_t sign = wasm_i32x4_shl(wasm_v128_and(half, wasm_i32x4_splat(0x8000)), 16);
    return wasm_v128_or(wasm_v128_or(number, exponent), wasm_v128_or(quiet, sign));
  }
  static float widen(Storage x) {
    const Storage four[4] = {x, 0, 0, 0};
    return wasm_f32x4_extract_lane(load4(four), 0);
  }
  static Lanes load16(const Storage* p) { return {load4(p), load4(p + 4), load4(p + 8), load4(p + 12)}; }
};

// 8-bit weights (eight_bit.inl.h) by products of 16 bits: a unit is two inputs.
struct I8 {
  using Storage = int8_t;
  using Weight = int16_t;
  using Activation = uint16_t;
  static constexpr bool kStepPairs = true;  // a tile takes two units at once, so that two products have one sum
  static v128_t load4(const Storage* p) { return wasm_i16x8_load8x8(p); }
  static Lanes load16(const Storage* p) { return {load4(p), load4(p + 8), load4(p + 16), load4(p + 24)}; }
  static v128_t multiply_add(v128_t x, v128_t w, v128_t sum) { return wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(x, w)); }
  static Lanes multiply_add(Lanes x, Lanes w, Lanes sum) {
    return each(x, w, sum, [](v128_t i, v128_t j, v128_t old) { return multiply_add(i, j, old); });
  }
  static TileLanes multiply_add(TileLanes x, TileLanes w, TileLanes sum) {
    return {multiply_add(x.a, w.a, sum.a), multiply_add(x.b, w.b, sum.b)};
  }
  static void store16(Activation* to, Lanes x) {
    const Lanes byte = each(x, [](v128_t i) { return wasm_v128_and(i, wasm_i32x4_splat(255)); });
    wasm_v128_store(to, wasm_i16x8_narrow_i32x4(byte.a, byte.b));
    wasm_v128_store(to + 8, wasm_i16x8_narrow_i32x4(byte.c, byte.d));
  }
  static void add_lanes(Lanes x, Lanes y, Lanes z, Lanes last, float* to) {
    const auto four = [](Lanes i) { return wasm_i32x4_add(wasm_i32x4_add(i.a, i.b), wasm_i32x4_add(i.c, i.d)); };
    const auto pairs = [](v128_t i, v128_t j) {
      return wasm_i32x4_add(wasm_i32x4_shuffle(i, j, 0, 2, 4, 6), wasm_i32x4_shuffle(i, j, 1, 3, 5, 7));
    };
    wasm_v128_store(to, pairs(pairs(four(x), four(y)), pairs(four(z), four(last))));
  }
  static v128_t corrected(v128_t sum, int32_t zero, const int32_t* weight_sums) {
    const v128_t correction = wasm_i32x4_mul(wasm_i32x4_splat(zero), wasm_v128_load(weight_sums));
    return wasm_f32x4_convert_i32x4(wasm_i32x4_sub(sum, correction));
  }
  static Lanes corrected(Lanes sum, int32_t zero, const int32_t* weight_sums) {
    return {corrected(sum.a, zero, weight_sums), corrected(sum.b, zero, weight_sums + 4),
            corrected(sum.c, zero, weight_sums + 8), corrected(sum.d, zero, weight_sums + 12)};
  }
};

// Four rows of four units: pairs of 32 bits, then of 64.
template <class Type>
inline void transpose4(const typename Type::Storage* rows, size_t stride, float* to, size_t to_stride) {
  const v128_t r0 = Type::load4(rows), r1 = Type::load4(rows + stride);
  const v128_t r2 = Type::load4(rows + 2 * stride), r3 = Type::load4(rows + 3 * stride);
  const v128_t t0 = wasm_i32x4_shuffle(r0, r1, 0, 4, 2, 6), t1 = wasm_i32x4_shuffle(r0, r1, 1, 5, 3, 7);
  const v128_t t2 = wasm_i32x4_shuffle(r2, r3, 0, 4, 2, 6), t3 = wasm_i32x4_shuffle(r2, r3, 1, 5, 3, 7);
  wasm_v128_store(to, wasm_i64x2_shuffle(t0, t2, 0, 2));
  wasm_v128_store(to + to_stride, wasm_i64x2_shuffle(t1, t3, 0, 2));
  wasm_v128_store(to + 2 * to_stride, wasm_i64x2_shuffle(t0, t2, 1, 3));
  wasm_v128_store(to + 3 * to_stride, wasm_i64x2_shuffle(t1, t3, 1, 3));
}

template <class Type>
inline void transpose16(const typename Type::Storage* rows, size_t stride, float* to, size_t to_stride) {
#pragma GCC unroll 4
  for (size_t i = 0; i < 16; i += 4) {
#pragma GCC unroll 4
    for (size_t j = 0; j < 16; j += 4) {
      transpose4<Type>(rows + i * stride + j * kInputsOfUnit<Type>, stride, to + j * to_stride + i, to_stride);
    }
  }
}

}  // namespace
}  // namespace bert
