// 8-bit products by vpdpbusd, which adds four products of bytes to a 32-bit sum, without saturation.
#include "engine/kernels/isa/lanes_avx2.h"
// the Lanes first
#include "engine/kernels/isa/products.inl.h"
// then searches, which use the products
#include "engine/kernels/isa/scan.inl.h"

namespace bert {
namespace {

// 8-bit weights (eight_bit.inl.h): a unit is four inputs.
struct I8Vnni : I8 {
  using Weight = int8_t;
  using Activation = uint8_t;
  static __m256 load8(const Storage* p) { return _mm256_loadu_ps(reinterpret_cast<const float*>(p)); }
  static Lanes load16(const Storage* p) { return {load8(p), load8(p + 32)}; }
  // {vex}: the encoding of AVX-VNNI; without it the instruction is one of AVX-512.
  static __m256 multiply_add(__m256 x, __m256 w, __m256 sum) {
    asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(x), "x"(w));
    return sum;
  }
  static Lanes multiply_add(Lanes x, Lanes w, Lanes sum) {
    return {multiply_add(x.lo, w.lo, sum.lo), multiply_add(x.hi, w.hi, sum.hi)};
  }
  static void store16(Activation* to, Lanes x) {
    uint16_t words[16];
    I8::store16(words, x);
    const __m128i* halves = reinterpret_cast<const __m128i*>(words);
    const __m128i packed = _mm_packus_epi16(_mm_loadu_si128(halves), _mm_loadu_si128(halves + 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), packed);
  }
};

}  // namespace

constinit const Int8ProductKernels kAvxVnniInt8Products = make_int8_products<I8Vnni>("avxvnni");
constinit const ScanKernels kAvxVnniScans = make_scans<I8Vnni>("avxvnni");

}  // namespace bert
