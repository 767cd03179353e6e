// 8-bit products by vpdpbusd, which adds four products of bytes to a 32-bit sum, without saturation.
#include "engine/kernels/isa/lanes_avx512.h"
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
  static Lanes load16(const Storage* p) { return _mm512_castsi512_ps(_mm512_loadu_si512(p)); }
  // The intrinsic makes GCC 12 keep every sum of a tile in memory.
  static Lanes multiply_add(Lanes x, Lanes w, Lanes sum) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(x), "v"(w));
    return sum;
  }
  static void store16(Activation* to, Lanes x) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(_mm512_castps_si512(x)));
  }
};

}  // namespace

constinit const Int8ProductKernels kAvx512VnniInt8Products = make_int8_products<I8Vnni>("avx512vnni");
constinit const ScanKernels kAvx512VnniScans = make_scans<I8Vnni>("avx512vnni");

}  // namespace bert
