// Products in bfloat16 arithmetic by vdpbf16ps, which adds two products of bfloat16 to a float: the odd one first, each
// by a fused multiply-add. It flushes denormals, but none occur.
#include "engine/kernels/isa/lanes_avx512.h"
// the Lanes first
#include "engine/kernels/isa/products.inl.h"
// then attention, which is made of products' tiles
#include "engine/kernels/isa/attention.inl.h"

namespace bert {
namespace {

struct PairSums {
  // Written in assembly, because the intrinsic makes GCC 12 keep every sum of a tile in memory.
  static Lanes multiply_add(Lanes x, Lanes w, Lanes sum) {
    return _mm512_dpbf16_ps(sum, __builtin_bit_cast(__m512bh, x), __builtin_bit_cast(__m512bh, w));
  }
};

inline __m512 without_small(__m512 x) {
  const Mask is_small = less(abs(x), set1(0x1p-56f));
  return _mm512_mask_and_ps(x, is_small, x, set1(-0.0f));
}

// Weights of a floating-point type. A unit is two inputs.
template <class Source>
struct Pair {
  using Storage = typename Source::Storage;
  using Sums = PairSums;
  static constexpr size_t kInputs = 2;
  static Lanes load16(const Storage* p) {
    const __m512 low = without_small(Source::load16(p)), high = without_small(Source::load16(p + 16));
    return __builtin_bit_cast(Lanes, _mm512_cvtne2ps_pbh(high, low));
  }
  static float unit(const Storage* p, size_t count) {
    const float odd = count > 1 ? Source::widen(p[1]) : 0.0f;
    const __m512 both = _mm512_castps128_ps512(_mm_set_ps(0.0f, 0.0f, odd, Source::widen(p[0])));
    float pair[8];
    round_units(both, pair);
    return pair[0];
  }
  static Lanes units_of_rows(const Lanes* rows) {
    const auto rounded = [](Lanes x) {
      return _mm512_cvtepu16_epi32(__builtin_bit_cast(__m256i, _mm512_cvtneps_pbh(without_small(x))));
    };
    return _mm512_castsi512_ps(_mm512_or_si512(rounded(rows[0]), _mm512_slli_epi32(rounded(rows[1]), 16)));
  }
  static void round_units(Lanes x, float* to) {
    _mm256_storeu_ps(to, __builtin_bit_cast(__m256, _mm512_cvtneps_pbh(without_small(x))));
  }
};
// Stored bfloat16 numbers keep their bits.
template <>
inline Lanes Pair<BF16>::load16(const Storage* p) {
  const __m512i numbers = _mm512_loadu_si512(p);
  const __m512i magnitudes = _mm512_and_si512(numbers, _mm512_set1_epi16(0x7FFF));
  const __mmask32 is_kept = _mm512_cmpge_epu16_mask(magnitudes, _mm512_set1_epi16(0x2380));  // 2^-56
  const __m512i signs = _mm512_sub_epi16(numbers, magnitudes);
  return _mm512_castsi512_ps(_mm512_mask_mov_epi16(signs, is_kept, numbers));
}

}  // namespace

constinit const FloatProductKernels kAvx512Bf16BFloat16Products = make_bfloat16_products<Pair>("avx512bf16");
constinit const AttentionKernels kAvx512Bf16Attention = make_attention<Pair<F32>>();

}  // namespace bert
