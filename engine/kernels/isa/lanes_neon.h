// Sixteen float lanes in four NEON registers, with the operations of lanes_portable.h. Every 64-bit ARM CPU has NEON.
#pragma once

#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/kernels/isa/eight_bit.inl.h"

namespace bert {
namespace {

// Four members instead of an array, because GCC keeps an array of four registers in memory.
struct Lanes {
  float32x4_t a, b, c, d;
};
using TileLanes = Lanes;
struct Mask {
  uint32x4_t a, b, c, d;
};
struct Doubles {
  float64x2_t v[8];
};

// 20 sums, 5 registers of four inputs and 4 weights are 29 of the 32 registers.
constexpr size_t kRowTile = 5;
constexpr size_t kPanelLanes = 1;
constexpr size_t kStepUnits = 4;
constexpr size_t kQueries = 4;          // rows of a tile of attention
constexpr size_t kMaxGroupPanels = 12;  // 12 panels of 16 outputs with 768 of k are 576 KiB of an L2 of 1 MiB
constexpr size_t kDotRows = 2;          // 16 sums, 8 weights and 4 inputs are 28 registers
constexpr size_t kDotOutputs = 2;
constexpr size_t kInt8FewRows = 16;
constexpr const char* kName = "neon";

inline Lanes load(const float* p) { return {vld1q_f32(p), vld1q_f32(p + 4), vld1q_f32(p + 8), vld1q_f32(p + 12)}; }
inline void store(float* p, Lanes x) {
  vst1q_f32(p, x.a);
  vst1q_f32(p + 4, x.b);
  vst1q_f32(p + 8, x.c);
  vst1q_f32(p + 12, x.d);
}
inline Lanes set1(float x) {
  const float32x4_t all = vdupq_n_f32(x);
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
  return each(x, y, [](float32x4_t i, float32x4_t j) { return vaddq_f32(i, j); });
}
inline Lanes sub(Lanes x, Lanes y) {
  return each(x, y, [](float32x4_t i, float32x4_t j) { return vsubq_f32(i, j); });
}
inline Lanes mul(Lanes x, Lanes y) {
  return each(x, y, [](float32x4_t i, float32x4_t j) { return vmulq_f32(i, j); });
}
inline Lanes div(Lanes x, Lanes y) {
  return each(x, y, [](float32x4_t i, float32x4_t j) { return vdivq_f32(i, j); });
}
inline Lanes fma(Lanes x, Lanes y, Lanes z) {
  return each(x, y, z, [](float32x4_t i, float32x4_t j, float32x4_t k) { return vfmaq_f32(k, i, j); });
}
// FMAX and FMIN are not used: they return a NaN for any NaN, and order the zeros.
inline float32x4_t max(float32x4_t x, float32x4_t y) { return vbslq_f32(vcgtq_f32(x, y), x, y); }
inline float32x4_t min(float32x4_t x, float32x4_t y) { return vbslq_f32(vcltq_f32(x, y), x, y); }
inline Lanes max(Lanes x, Lanes y) {
  return each(x, y, [](float32x4_t i, float32x4_t j) { return max(i, j); });
}
inline Lanes min(Lanes x, Lanes y) {
  return each(x, y, [](float32x4_t i, float32x4_t j) { return min(i, j); });
}
inline Lanes abs(Lanes x) {
  return each(x, [](float32x4_t i) { return vabsq_f32(i); });
}
inline Mask less(Lanes x, Lanes y) {
  return {vcltq_f32(x.a, y.a), vcltq_f32(x.b, y.b), vcltq_f32(x.c, y.c), vcltq_f32(x.d, y.d)};
}
inline Lanes select(Mask mask, Lanes yes, Lanes no) {
  return {vbslq_f32(mask.a, yes.a, no.a), vbslq_f32(mask.b, yes.b, no.b), vbslq_f32(mask.c, yes.c, no.c),
          vbslq_f32(mask.d, yes.d, no.d)};
}
// 2^n may be too small for a float, so it is applied in two halves; the first product is exact, the second rounds.
inline float32x4_t scale_by_power_of_2(float32x4_t x, float32x4_t n) {
  const int32x4_t exponent = vcvtq_s32_f32(n);
  const int32x4_t half = vshrq_n_s32(exponent, 1);
  const auto power = [](int32x4_t e) { return vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(e, vdupq_n_s32(127)), 23)); };
  return vmulq_f32(vmulq_f32(x, power(half)), power(vsubq_s32(exponent, half)));
}
inline Lanes scale_by_power_of_2(Lanes x, Lanes n) {
  return each(x, n, [](float32x4_t i, float32x4_t j) { return scale_by_power_of_2(i, j); });
}
inline Lanes exponent_of(Lanes x) {
  return each(x, [](float32x4_t i) {
    return vcvtq_f32_s32(vsubq_s32(vshrq_n_s32(vreinterpretq_s32_f32(i), 23), vdupq_n_s32(127)));
  });
}
inline float32x4_t rounded_to_bfloat16(float32x4_t x) {
  const uint32x4_t bits = vreinterpretq_u32_f32(x);
  const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
  const uint32x4_t nearest = vaddq_u32(bits, vaddq_u32(odd, vdupq_n_u32(0x7FFF)));
  const uint32x4_t number = vbslq_u32(vceqq_f32(x, x), nearest, vorrq_u32(bits, vdupq_n_u32(0x400000)));
  const uint32x4_t is_small = vcltq_f32(vabsq_f32(x), vdupq_n_f32(0x1p-56f));
  const uint32x4_t kept = vbslq_u32(is_small, vdupq_n_u32(0x80000000), vdupq_n_u32(0xFFFF0000));
  return vreinterpretq_f32_u32(vandq_u32(number, kept));
}
inline Lanes rounded_to_bfloat16(Lanes x) {
  return each(x, [](float32x4_t i) { return rounded_to_bfloat16(i); });
}
inline Lanes lookup(const float (&table)[16], Lanes places) {
  const auto bytes = [&](int i) { return vreinterpretq_u8_f32(vld1q_f32(table + 4 * i)); };
  const uint8x16x4_t all = {{bytes(0), bytes(1), bytes(2), bytes(3)}};
  return each(places, [&](float32x4_t i) {
    const uint32x4_t place = vandq_u32(vreinterpretq_u32_f32(i), vdupq_n_u32(15));
    const uint32x4_t four = vmlaq_n_u32(vdupq_n_u32(0x03020100), place, 0x04040404);
    return vreinterpretq_f32_u8(vqtbl4q_u8(all, vreinterpretq_u8_u32(four)));
  });
}

#define BERT_EACH_PAIR for (int i = 0; i < 8; ++i)

inline Doubles load(const double* p) {
  Doubles r;
  BERT_EACH_PAIR r.v[i] = vld1q_f64(p + 2 * i);
  return r;
}
inline void store(double* p, Doubles x) { BERT_EACH_PAIR vst1q_f64(p + 2 * i, x.v[i]); }
inline Doubles set1(double x) {
  Doubles r;
  BERT_EACH_PAIR r.v[i] = vdupq_n_f64(x);
  return r;
}
inline Doubles add(Doubles x, Doubles y) {
  BERT_EACH_PAIR x.v[i] = vaddq_f64(x.v[i], y.v[i]);
  return x;
}
inline Doubles sub(Doubles x, Doubles y) {
  BERT_EACH_PAIR x.v[i] = vsubq_f64(x.v[i], y.v[i]);
  return x;
}
inline Doubles mul(Doubles x, Doubles y) {
  BERT_EACH_PAIR x.v[i] = vmulq_f64(x.v[i], y.v[i]);
  return x;
}
inline Doubles fma(Doubles x, Doubles y, Doubles z) {
  BERT_EACH_PAIR z.v[i] = vfmaq_f64(z.v[i], x.v[i], y.v[i]);
  return z;
}

#undef BERT_EACH_PAIR

inline Doubles widen(Lanes x) {
  const auto low = [](float32x4_t i) { return vcvt_f64_f32(vget_low_f32(i)); };
  const auto high = [](float32x4_t i) { return vcvt_high_f64_f32(i); };
  return {{low(x.a), high(x.a), low(x.b), high(x.b), low(x.c), high(x.c), low(x.d), high(x.d)}};
}
inline Doubles load_doubles(const float* p) { return widen(load(p)); }
inline Lanes narrow(Doubles x) {
  const auto four = [&](int i) { return vcvt_high_f32_f64(vcvt_f32_f64(x.v[i]), x.v[i + 1]); };
  return {four(0), four(2), four(4), four(6)};
}
inline double square_root(double x) { return vget_lane_f64(vsqrt_f64(vdup_n_f64(x)), 0); }

// Adds (or compares) the halves until one number is left.
inline float sum_of(Lanes x) {
  const float32x4_t four = vaddq_f32(vaddq_f32(x.a, x.c), vaddq_f32(x.b, x.d));
  const float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
  return vget_lane_f32(two, 0) + vget_lane_f32(two, 1);
}
inline float max_of(Lanes x) {
  const float32x4_t four = max(max(x.a, x.c), max(x.b, x.d));
  const float32x2_t low = vget_low_f32(four), high = vget_high_f32(four);
  const float32x2_t two = vbsl_f32(vcgt_f32(low, high), low, high);
  const float first = vget_lane_f32(two, 0), second = vget_lane_f32(two, 1);
  return first > second ? first : second;
}
inline double sum_of(Doubles x) {
  const auto both = [&](int i) { return vaddq_f64(x.v[i], x.v[i + 4]); };
  const float64x2_t two = vaddq_f64(vaddq_f64(both(0), both(2)), vaddq_f64(both(1), both(3)));
  return vgetq_lane_f64(two, 0) + vgetq_lane_f64(two, 1);
}

// Types of weights also have a multiply-add with unit i of four units of a row of x in one register. This multiply-add
// and those of integers are written in assembly, because GCC 12 copies the sums before each of their intrinsics.

struct F32 {
  using Storage = float;
  static float widen(Storage x) { return x; }
  static float32x4_t load4(const Storage* p) { return vld1q_f32(p); }
  static Lanes load16(const Storage* p) { return load(p); }
  static float32x4_t load_units(const float* x) { return vld1q_f32(x); }
  template <int i>
  static Lanes multiply_add_unit(float32x4_t x, Lanes w, Lanes sum) {
    return each(w, sum, [&](float32x4_t four, float32x4_t old) {
      asm("fmla %0.4s, %1.4s, %2.s[%3]" : "+w"(old) : "w"(four), "w"(x), "i"(i));
      return old;
    });
  }
};
struct BF16 {
  using Storage = uint16_t;
  static float widen(Storage x) {
    const uint32_t bits = static_cast<uint32_t>(x) << 16;
    float r;
    __builtin_memcpy(&r, &bits, 4);
    return r;
  }
  static float32x4_t load4(const Storage* p) { return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16)); }
  static Lanes load16(const Storage* p) { return {load4(p), load4(p + 4), load4(p + 8), load4(p + 12)}; }
};
struct F16 {
  using Storage = uint16_t;
  static float widen(Storage x) { return vgetq_lane_f32(vcvt_f32_f16(vreinterpret_f16_u16(vdup_n_u16(x))), 0); }
  static float32x4_t load4(const Storage* p) { return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p))); }
  static Lanes load16(const Storage* p) { return {load4(p), load4(p + 4), load4(p + 8), load4(p + 12)}; }
};

inline int32x4_t integers(float32x4_t x) { return vreinterpretq_s32_f32(x); }
inline float32x4_t units(int32x4_t x) { return vreinterpretq_f32_s32(x); }

// 8-bit weights (eight_bit.inl.h) by 32-bit products: a unit is one input. 8-bit products (SMULL) need a second
// instruction that adds pairs of products to the sums, so they are no faster.
struct I8 {
  using Storage = int8_t;
  using Weight = int32_t;
  using Activation = uint32_t;
  static float32x4_t load4(const Storage* p) {
    int32_t bytes;
    __builtin_memcpy(&bytes, p, 4);
    return units(vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_s32(vdup_n_s32(bytes))))));
  }
  static Lanes load16(const Storage* p) {
    const int8x16_t bytes = vld1q_s8(p);
    const int16x8_t low = vmovl_s8(vget_low_s8(bytes)), high = vmovl_high_s8(bytes);
    return {units(vmovl_s16(vget_low_s16(low))), units(vmovl_high_s16(low)), units(vmovl_s16(vget_low_s16(high))),
            units(vmovl_high_s16(high))};
  }
  static Lanes multiply_add(Lanes x, Lanes w, Lanes sum) {
    return each(x, w, sum, [](float32x4_t i, float32x4_t j, float32x4_t old) {
      asm("mla %0.4s, %1.4s, %2.4s" : "+w"(old) : "w"(i), "w"(j));
      return old;
    });
  }
  static float32x4_t load_units(const float* x) { return vld1q_f32(x); }
  template <int i>
  static Lanes multiply_add_unit(float32x4_t x, Lanes w, Lanes sum) {
    return each(w, sum, [&](float32x4_t four, float32x4_t old) {
      asm("mla %0.4s, %1.4s, %2.s[%3]" : "+w"(old) : "w"(four), "w"(x), "i"(i));
      return old;
    });
  }
  static void store16(Activation* to, Lanes x) {
    const Lanes bytes = each(x, [](float32x4_t i) { return units(vandq_s32(integers(i), vdupq_n_s32(255))); });
    store(reinterpret_cast<float*>(to), bytes);
  }
  static void add_lanes(Lanes x, Lanes y, Lanes z, Lanes last, float* to) {
    const auto four = [](Lanes i) {
      return vaddq_s32(vaddq_s32(integers(i.a), integers(i.b)), vaddq_s32(integers(i.c), integers(i.d)));
    };
    vst1q_f32(to, units(vpaddq_s32(vpaddq_s32(four(x), four(y)), vpaddq_s32(four(z), four(last)))));
  }
  static float32x4_t corrected(float32x4_t sum, int32_t zero, const int32_t* weight_sums) {
    return vcvtq_f32_s32(vmlsq_s32(integers(sum), vdupq_n_s32(zero), vld1q_s32(weight_sums)));
  }
  static Lanes corrected(Lanes sum, int32_t zero, const int32_t* weight_sums) {
    return {corrected(sum.a, zero, weight_sums), corrected(sum.b, zero, weight_sums + 4),
            corrected(sum.c, zero, weight_sums + 8), corrected(sum.d, zero, weight_sums + 12)};
  }
};

// Transposes four rows of four units: first pairs of 32 bits, then of 64.
template <class Type>
inline void transpose4(const typename Type::Storage* rows, size_t stride, float* to, size_t to_stride) {
  const float32x4_t r0 = Type::load4(rows), r1 = Type::load4(rows + stride);
  const float32x4_t r2 = Type::load4(rows + 2 * stride), r3 = Type::load4(rows + 3 * stride);
  const auto pairs = [](float32x4_t x) { return vreinterpretq_f64_f32(x); };
  const float64x2_t t0 = pairs(vtrn1q_f32(r0, r1)), t1 = pairs(vtrn2q_f32(r0, r1));
  const float64x2_t t2 = pairs(vtrn1q_f32(r2, r3)), t3 = pairs(vtrn2q_f32(r2, r3));
  vst1q_f32(to, vreinterpretq_f32_f64(vzip1q_f64(t0, t2)));
  vst1q_f32(to + to_stride, vreinterpretq_f32_f64(vzip1q_f64(t1, t3)));
  vst1q_f32(to + 2 * to_stride, vreinterpretq_f32_f64(vzip2q_f64(t0, t2)));
  vst1q_f32(to + 3 * to_stride, vreinterpretq_f32_f64(vzip2q_f64(t1, t3)));
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
