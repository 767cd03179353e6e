// Sixteen float lanes in one AVX-512 register, with the operations of lanes_portable.h.
#pragma once

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/kernels/isa/sums_avx.h"

namespace bert {
namespace {

using Lanes = __m512;
using TileLanes = Lanes;
using Mask = __mmask16;
struct Doubles {
  __m512d lo;
  __m512d hi;
};

// 24 sums, 3 weights and 1 input are 28 of the 32 registers. 11 loads for 24 multiply-adds leave load ports free; 14
// rows by 2 Lanes (16 for 28) do not: 10 % faster at 128 and 1024 rows on a Cascade Lake with a busy neighbour.
constexpr size_t kRowTile = 8;
constexpr size_t kPanelLanes = 3;
constexpr size_t kStepUnits = 1;
constexpr size_t kQueries = 6;         // rows of a tile of attention
constexpr size_t kMaxGroupPanels = 4;  // 4 panels of 48 outputs with 768 of k are 576 KiB of an L2 of 1 MiB
constexpr size_t kDotRows = 6;         // 24 sums, 4 weights and 1 input are 29 registers
constexpr size_t kDotOutputs = 4;
constexpr size_t kInt8FewRows = 96;  // with 128 rows transposing takes as long
constexpr const char* kName = "avx512";

inline Lanes load(const float* p) { return _mm512_loadu_ps(p); }
inline void store(float* p, Lanes a) { _mm512_storeu_ps(p, a); }
inline Lanes set1(float a) { return _mm512_set1_ps(a); }
inline Lanes add(Lanes a, Lanes b) { return _mm512_add_ps(a, b); }
inline Lanes sub(Lanes a, Lanes b) { return _mm512_sub_ps(a, b); }
inline Lanes mul(Lanes a, Lanes b) { return _mm512_mul_ps(a, b); }
inline Lanes div(Lanes a, Lanes b) { return _mm512_div_ps(a, b); }
inline Lanes fma(Lanes a, Lanes b, Lanes c) { return _mm512_fmadd_ps(a, b, c); }
inline Lanes max(Lanes a, Lanes b) { return _mm512_max_ps(a, b); }
inline Lanes min(Lanes a, Lanes b) { return _mm512_min_ps(a, b); }
inline Lanes abs(Lanes a) { return _mm512_abs_ps(a); }
inline Mask less(Lanes a, Lanes b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
inline Lanes select(Mask mask, Lanes yes, Lanes no) { return _mm512_mask_blend_ps(mask, no, yes); }
inline Lanes scale_by_power_of_2(Lanes a, Lanes n) { return _mm512_scalef_ps(a, n); }
inline Lanes exponent_of(Lanes a) {
  const __m512i biased = _mm512_srai_epi32(_mm512_castps_si512(a), 23);
  return _mm512_cvtepi32_ps(_mm512_sub_epi32(biased, _mm512_set1_epi32(127)));
}
inline Lanes rounded_to_bfloat16(Lanes a) {
  const __m512i bits = _mm512_castps_si512(a);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i nearest = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7FFF)));
  const Mask is_nan = _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q), is_small = less(abs(a), set1(0x1p-56f));
  const __m512i number = _mm512_mask_or_epi32(nearest, is_nan, bits, _mm512_set1_epi32(0x400000));
  const __m512i kept = _mm512_mask_mov_epi32(_mm512_set1_epi32(-0x10000), is_small, _mm512_set1_epi32(INT32_MIN));
  return _mm512_castsi512_ps(_mm512_and_si512(number, kept));
}
inline Lanes lookup(const float (&table)[16], Lanes places) {
  return _mm512_permutexvar_ps(_mm512_castps_si512(places), _mm512_loadu_ps(table));
}

inline Doubles load(const double* p) { return {_mm512_loadu_pd(p), _mm512_loadu_pd(p + 8)}; }
inline void store(double* p, Doubles a) {
  _mm512_storeu_pd(p, a.lo);
  _mm512_storeu_pd(p + 8, a.hi);
}
inline Doubles set1(double a) {
  const __m512d all = _mm512_set1_pd(a);
  return {all, all};
}
inline Doubles add(Doubles a, Doubles b) { return {_mm512_add_pd(a.lo, b.lo), _mm512_add_pd(a.hi, b.hi)}; }
inline Doubles sub(Doubles a, Doubles b) { return {_mm512_sub_pd(a.lo, b.lo), _mm512_sub_pd(a.hi, b.hi)}; }
inline Doubles mul(Doubles a, Doubles b) { return {_mm512_mul_pd(a.lo, b.lo), _mm512_mul_pd(a.hi, b.hi)}; }
inline Doubles fma(Doubles a, Doubles b, Doubles c) {
  return {_mm512_fmadd_pd(a.lo, b.lo, c.lo), _mm512_fmadd_pd(a.hi, b.hi, c.hi)};
}
inline Doubles widen(Lanes a) {
  const __m256 hi = _mm512_extractf32x8_ps(a, 1);
  return {_mm512_cvtps_pd(_mm512_castps512_ps256(a)), _mm512_cvtps_pd(hi)};
}
inline Doubles load_doubles(const float* p) {
  return {_mm512_cvtps_pd(_mm256_loadu_ps(p)), _mm512_cvtps_pd(_mm256_loadu_ps(p + 8))};
}
inline Lanes narrow(Doubles a) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(a.lo)), _mm512_cvtpd_ps(a.hi), 1);
}
inline double square_root(double a) { return _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(a))); }

inline float sum_of(Lanes a) {
  return sum_of_eight(_mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1)));
}
inline float max_of(Lanes a) {
  return max_of_eight(_mm256_max_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1)));
}
inline double sum_of(Doubles a) {
  const __m512d eight = _mm512_add_pd(a.lo, a.hi);
  return sum_of_four(_mm256_add_pd(_mm512_castpd512_pd256(eight), _mm512_extractf64x4_pd(eight, 1)));
}

struct F32 {
  using Storage = float;
  static float widen(Storage a) { return a; }
  static Lanes load16(const Storage* p) { return _mm512_loadu_ps(p); }
};
struct BF16 {
  using Storage = uint16_t;
  static Lanes load16(const Storage* p) {
    const __m512i bits = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    return _mm512_castsi512_ps(_mm512_slli_epi32(bits, 16));
  }
  static float widen(Storage a) {
    return _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(static_cast<int>(static_cast<uint32_t>(a) << 16))));
  }
};
struct F16 {
  using Storage = uint16_t;
  static Lanes load16(const Storage* p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static float widen(Storage a) { return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(a))); }
};

// 8-bit weights (eight_bit.inl.h) by 16-bit products: a unit is two inputs. The instruction that multiplies bytes
// (vpmaddubsw) adds pairs of products in 16 bits, which may saturate.
struct I8 {
  using Storage = int8_t;
  using Weight = int16_t;
  using Activation = uint16_t;
  static Lanes load16(const Storage* p) {
    return _mm512_castsi512_ps(_mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))));
  }
  static Lanes multiply_add(Lanes x, Lanes w, Lanes sum) {
    const __m512i products = _mm512_madd_epi16(_mm512_castps_si512(x), _mm512_castps_si512(w));
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(sum), products));
  }
  static void store16(Activation* to, Lanes x) {
    const __m512i bytes = _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(255));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi32_epi16(bytes));
  }
  // Adds the four lanes of each quarter of a, b, c and d, then adds the quarters.
  static void add_lanes(Lanes a, Lanes b, Lanes c, Lanes d, float* to) {
    const auto pairs = [](Lanes x, Lanes y) {
      const __m512i i = _mm512_castps_si512(x), j = _mm512_castps_si512(y);
      return _mm512_add_epi32(_mm512_unpacklo_epi32(i, j), _mm512_unpackhi_epi32(i, j));
    };
    const __m512i ab = pairs(a, b), cd = pairs(c, d);
    const __m512i abcd = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    const __m256i halves = _mm256_add_epi32(_mm512_castsi512_si256(abcd), _mm512_extracti64x4_epi64(abcd, 1));
    const __m128i sums = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
    _mm_storeu_ps(to, _mm_castsi128_ps(sums));
  }
  static Lanes corrected(Lanes sum, int32_t zero, const int32_t* weight_sums) {
    const __m512i correction = _mm512_mullo_epi32(_mm512_set1_epi32(zero), _mm512_loadu_si512(weight_sums));
    return _mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_castps_si512(sum), correction));
  }
};

// 64 shuffles: pairs of 32-bit units, pairs of 64-bit units, then whole 128-bit quarters, twice.
template <class Type>
inline void transpose16(const typename Type::Storage* rows, size_t stride, float* to, size_t to_stride) {
  __m512 r[16];
  __m512 t[16];
  const auto pd = [](__m512 a) { return _mm512_castps_pd(a); };
  const auto ps = [](__m512d a) { return _mm512_castpd_ps(a); };
#pragma GCC unroll 16
  for (size_t i = 0; i < 16; ++i) r[i] = Type::load16(rows + i * stride);
#pragma GCC unroll 16
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
  }
#pragma GCC unroll 16
  for (int i = 0; i < 16; i += 4) {
    r[i] = ps(_mm512_unpacklo_pd(pd(t[i]), pd(t[i + 2])));
    r[i + 1] = ps(_mm512_unpackhi_pd(pd(t[i]), pd(t[i + 2])));
    r[i + 2] = ps(_mm512_unpacklo_pd(pd(t[i + 1]), pd(t[i + 3])));
    r[i + 3] = ps(_mm512_unpackhi_pd(pd(t[i + 1]), pd(t[i + 3])));
  }
#pragma GCC unroll 16
  for (int i = 0; i < 4; ++i) {
    t[i] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0x88);
    t[i + 4] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0xDD);
    t[i + 8] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0x88);
    t[i + 12] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0xDD);
  }
#pragma GCC unroll 16
  for (size_t i = 0; i < 8; ++i) {
    _mm512_storeu_ps(to + i * to_stride, _mm512_shuffle_f32x4(t[i], t[i + 8], 0x88));
    _mm512_storeu_ps(to + (i + 8) * to_stride, _mm512_shuffle_f32x4(t[i], t[i + 8], 0xDD));
  }
}

}  // namespace
}  // namespace bert
