// Sixteen float lanes in two AVX registers, with the operations of lanes_portable.h. Needs AVX2, FMA, F16C.
#pragma once

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/kernels/isa/eight_bit.inl.h"
#include "engine/kernels/isa/sums_avx.h"

namespace bert {
namespace {

struct Lanes {
  __m256 lo;
  __m256 hi;
};
using TileLanes = Lanes;
using Mask = Lanes;
struct Doubles {
  __m256d v[4];
};

// 12 sums, 2 weights and 1 input are 15 of the 16 registers.
constexpr size_t kRowTile = 6;
constexpr size_t kPanelLanes = 1;
constexpr size_t kStepUnits = 1;
constexpr size_t kQueries = 6;         // rows of a tile of attention
constexpr size_t kMaxGroupPanels = 6;  // 6 panels of 16 outputs with 768 of k are 288 KiB of an L2 of 512 KiB
constexpr size_t kDotRows = 2;         // 8 sums, 4 weights and 2 inputs are 14 registers
constexpr size_t kDotOutputs = 2;
constexpr size_t kInt8FewRows = 16;  // with 24 rows transposing is 13 % faster
constexpr const char* kName = "avx2";

inline Lanes load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
inline void store(float* p, Lanes a) {
  _mm256_storeu_ps(p, a.lo);
  _mm256_storeu_ps(p + 8, a.hi);
}
inline Lanes set1(float a) {
  const __m256 all = _mm256_set1_ps(a);
  return {all, all};
}
inline Lanes add(Lanes a, Lanes b) { return {_mm256_add_ps(a.lo, b.lo), _mm256_add_ps(a.hi, b.hi)}; }
inline Lanes sub(Lanes a, Lanes b) { return {_mm256_sub_ps(a.lo, b.lo), _mm256_sub_ps(a.hi, b.hi)}; }
inline Lanes mul(Lanes a, Lanes b) { return {_mm256_mul_ps(a.lo, b.lo), _mm256_mul_ps(a.hi, b.hi)}; }
inline Lanes div(Lanes a, Lanes b) { return {_mm256_div_ps(a.lo, b.lo), _mm256_div_ps(a.hi, b.hi)}; }
inline Lanes fma(Lanes a, Lanes b, Lanes c) {
  return {_mm256_fmadd_ps(a.lo, b.lo, c.lo), _mm256_fmadd_ps(a.hi, b.hi, c.hi)};
}
inline Lanes max(Lanes a, Lanes b) { return {_mm256_max_ps(a.lo, b.lo), _mm256_max_ps(a.hi, b.hi)}; }
inline Lanes min(Lanes a, Lanes b) { return {_mm256_min_ps(a.lo, b.lo), _mm256_min_ps(a.hi, b.hi)}; }
inline Lanes abs(Lanes a) {
  const __m256 sign = _mm256_set1_ps(-0.0f);
  return {_mm256_andnot_ps(sign, a.lo), _mm256_andnot_ps(sign, a.hi)};
}
inline Mask less(Lanes a, Lanes b) {
  return {_mm256_cmp_ps(a.lo, b.lo, _CMP_LT_OQ), _mm256_cmp_ps(a.hi, b.hi, _CMP_LT_OQ)};
}
inline Lanes select(Mask mask, Lanes yes, Lanes no) {
  return {_mm256_blendv_ps(no.lo, yes.lo, mask.lo), _mm256_blendv_ps(no.hi, yes.hi, mask.hi)};
}
// 2^n may be too small for a float, so it is applied in two halves; the first product is exact, the second rounds.
inline __m256 scale_by_power_of_2(__m256 a, __m256 n) {
  const __m256i exponent = _mm256_cvtps_epi32(n);
  const __m256i half = _mm256_srai_epi32(exponent, 1);
  const auto power = [](__m256i e) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(e, _mm256_set1_epi32(127)), 23));
  };
  return _mm256_mul_ps(_mm256_mul_ps(a, power(half)), power(_mm256_sub_epi32(exponent, half)));
}
inline Lanes scale_by_power_of_2(Lanes a, Lanes n) {
  return {scale_by_power_of_2(a.lo, n.lo), scale_by_power_of_2(a.hi, n.hi)};
}
inline __m256 exponent_of(__m256 a) {
  const __m256i biased = _mm256_srai_epi32(_mm256_castps_si256(a), 23);
  return _mm256_cvtepi32_ps(_mm256_sub_epi32(biased, _mm256_set1_epi32(127)));
}
inline Lanes exponent_of(Lanes a) { return {exponent_of(a.lo), exponent_of(a.hi)}; }
// low, high: the halves of the table. Bit 3 of a place selects the half; it is shifted to the sign bit.
inline __m256 lookup(__m256 low, __m256 high, __m256 places) {
  const __m256i n = _mm256_castps_si256(places);
  return _mm256_blendv_ps(_mm256_permutevar8x32_ps(low, n), _mm256_permutevar8x32_ps(high, n),
                          _mm256_castsi256_ps(_mm256_slli_epi32(n, 28)));
}
inline __m256 rounded_to_bfloat16(__m256 a) {
  const __m256i bits = _mm256_castps_si256(a);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i nearest = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7FFF)));
  const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
  const __m256 number =
      _mm256_blendv_ps(_mm256_castsi256_ps(nearest), _mm256_castsi256_ps(quiet), _mm256_cmp_ps(a, a, _CMP_UNORD_Q));
  const __m256 sign = _mm256_set1_ps(-0.0f);
  const __m256 is_small = _mm256_cmp_ps(_mm256_andnot_ps(sign, a), _mm256_set1_ps(0x1p-56f), _CMP_LT_OQ);
  const __m256 kept = _mm256_blendv_ps(_mm256_castsi256_ps(_mm256_set1_epi32(-0x10000)), sign, is_small);
  return _mm256_and_ps(number, kept);
}
inline Lanes rounded_to_bfloat16(Lanes a) { return {rounded_to_bfloat16(a.lo), rounded_to_bfloat16(a.hi)}; }
inline Lanes lookup(const float (&table)[16], Lanes places) {
  const __m256 low = _mm256_loadu_ps(table), high = _mm256_loadu_ps(table + 8);
  return {lookup(low, high, places.lo), lookup(low, high, places.hi)};
}

#define BERT_EACH_QUARTER for (int i = 0; i < 4; ++i)

inline Doubles load(const double* p) {
  Doubles r;
  BERT_EACH_QUARTER r.v[i] = _mm256_loadu_pd(p + 4 * i);
  return r;
}
inline void store(double* p, Doubles a) { BERT_EACH_QUARTER _mm256_storeu_pd(p + 4 * i, a.v[i]); }
inline Doubles set1(double a) {
  const __m256d all = _mm256_set1_pd(a);
  return {{all, all, all, all}};
}
inline Doubles add(Doubles a, Doubles b) {
  BERT_EACH_QUARTER a.v[i] = _mm256_add_pd(a.v[i], b.v[i]);
  return a;
}
inline Doubles sub(Doubles a, Doubles b) {
  BERT_EACH_QUARTER a.v[i] = _mm256_sub_pd(a.v[i], b.v[i]);
  return a;
}
inline Doubles mul(Doubles a, Doubles b) {
  BERT_EACH_QUARTER a.v[i] = _mm256_mul_pd(a.v[i], b.v[i]);
  return a;
}
inline Doubles fma(Doubles a, Doubles b, Doubles c) {
  BERT_EACH_QUARTER c.v[i] = _mm256_fmadd_pd(a.v[i], b.v[i], c.v[i]);
  return c;
}
inline Doubles widen(Lanes a) {
  return {{_mm256_cvtps_pd(_mm256_castps256_ps128(a.lo)), _mm256_cvtps_pd(_mm256_extractf128_ps(a.lo, 1)),
           _mm256_cvtps_pd(_mm256_castps256_ps128(a.hi)), _mm256_cvtps_pd(_mm256_extractf128_ps(a.hi, 1))}};
}
inline Doubles load_doubles(const float* p) {
  return {{_mm256_cvtps_pd(_mm_loadu_ps(p)), _mm256_cvtps_pd(_mm_loadu_ps(p + 4)), _mm256_cvtps_pd(_mm_loadu_ps(p + 8)),
           _mm256_cvtps_pd(_mm_loadu_ps(p + 12))}};
}
inline Lanes narrow(Doubles a) {
  return {_mm256_set_m128(_mm256_cvtpd_ps(a.v[1]), _mm256_cvtpd_ps(a.v[0])),
          _mm256_set_m128(_mm256_cvtpd_ps(a.v[3]), _mm256_cvtpd_ps(a.v[2]))};
}
inline double square_root(double a) { return _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(a))); }

inline float sum_of(Lanes a) { return sum_of_eight(_mm256_add_ps(a.lo, a.hi)); }
inline float max_of(Lanes a) { return max_of_eight(_mm256_max_ps(a.lo, a.hi)); }
inline double sum_of(Doubles a) {
  return sum_of_four(_mm256_add_pd(_mm256_add_pd(a.v[0], a.v[2]), _mm256_add_pd(a.v[1], a.v[3])));
}

#undef BERT_EACH_QUARTER

struct F32 {
  using Storage = float;
  static float widen(Storage a) { return a; }
  static __m256 load8(const Storage* p) { return _mm256_loadu_ps(p); }
  static Lanes load16(const Storage* p) { return load(p); }
};
struct BF16 {
  using Storage = uint16_t;
  static float widen(Storage a) {
    return _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(static_cast<int>(static_cast<uint32_t>(a) << 16))));
  }
  static __m256 load8(const Storage* p) {
    const __m256i bits = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    return _mm256_castsi256_ps(_mm256_slli_epi32(bits, 16));
  }
  static Lanes load16(const Storage* p) { return {load8(p), load8(p + 8)}; }
};
struct F16 {
  using Storage = uint16_t;
  static float widen(Storage a) { return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(a))); }
  static __m256 load8(const Storage* p) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static Lanes load16(const Storage* p) { return {load8(p), load8(p + 8)}; }
};

// 8-bit weights (eight_bit.inl.h) by 16-bit products: a unit is two inputs. The instruction that multiplies bytes
// (vpmaddubsw) adds pairs of products in 16 bits, which may saturate.
struct I8 {
  using Storage = int8_t;
  using Weight = int16_t;
  using Activation = uint16_t;
  static __m256 load8(const Storage* p) {
    return _mm256_castsi256_ps(_mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
  }
  static __m256 multiply_add(__m256 x, __m256 w, __m256 sum) {
    const __m256i products = _mm256_madd_epi16(_mm256_castps_si256(x), _mm256_castps_si256(w));
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(sum), products));
  }
  static Lanes multiply_add(Lanes x, Lanes w, Lanes sum) {
    return {multiply_add(x.lo, w.lo, sum.lo), multiply_add(x.hi, w.hi, sum.hi)};
  }
  static void store16(Activation* to, Lanes x) {
    const __m256i byte = _mm256_set1_epi32(255);
    const __m256i lo = _mm256_and_si256(_mm256_castps_si256(x.lo), byte);
    const __m256i hi = _mm256_and_si256(_mm256_castps_si256(x.hi), byte);
    // Packs within 128-bit halves; the permutation puts the quarters in order.
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(lo, hi), 0xD8);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), packed);
  }
  static Lanes load16(const Storage* p) { return {load8(p), load8(p + 16)}; }
  static void add_lanes(Lanes a, Lanes b, Lanes c, Lanes d, float* to) {
    const auto halves = [](Lanes x) { return _mm256_add_epi32(_mm256_castps_si256(x.lo), _mm256_castps_si256(x.hi)); };
    const __m256i ab = _mm256_hadd_epi32(halves(a), halves(b));
    const __m256i abcd = _mm256_hadd_epi32(ab, _mm256_hadd_epi32(halves(c), halves(d)));
    const __m128i sums = _mm_add_epi32(_mm256_castsi256_si128(abcd), _mm256_extracti128_si256(abcd, 1));
    _mm_storeu_ps(to, _mm_castsi128_ps(sums));
  }
  static __m256 corrected(__m256 sum, int32_t zero, const int32_t* weight_sums) {
    const __m256i sums = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weight_sums));
    const __m256i correction = _mm256_mullo_epi32(_mm256_set1_epi32(zero), sums);
    return _mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_castps_si256(sum), correction));
  }
  static Lanes corrected(Lanes sum, int32_t zero, const int32_t* weight_sums) {
    return {corrected(sum.lo, zero, weight_sums), corrected(sum.hi, zero, weight_sums + 8)};
  }
};

template <class Type>
inline void transpose8(const typename Type::Storage* rows, size_t stride, float* to, size_t to_stride) {
  __m256 r[8];
  __m256 t[8];
#pragma GCC unroll 8
  for (size_t i = 0; i < 8; ++i) r[i] = Type::load8(rows + i * stride);
#pragma GCC unroll 8
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
#pragma GCC unroll 8
  for (int i = 0; i < 8; i += 4) {
    r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
    r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xEE);
    r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xEE);
  }
#pragma GCC unroll 8
  for (size_t i = 0; i < 4; ++i) {
    _mm256_storeu_ps(to + i * to_stride, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
    _mm256_storeu_ps(to + (i + 4) * to_stride, _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
  }
}

template <class Type>
inline void transpose16(const typename Type::Storage* rows, size_t stride, float* to, size_t to_stride) {
  for (size_t i = 0; i < 16; i += 8) {
    for (size_t j = 0; j < 16; j += 8) {
      transpose8<Type>(rows + i * stride + j * kInputsOfUnit<Type>, stride, to + j * to_stride + i, to_stride);
    }
  }
}

}  // namespace
}  // namespace bert
