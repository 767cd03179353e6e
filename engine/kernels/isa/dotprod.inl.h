// 8-bit weights (eight_bit.inl.h) by SDOT: a unit is four inputs. SDOT multiplies only signed bytes, so a prepared row
// of x holds q - 128 and its zero point is 128 smaller, which gives the same sum. Included after lanes_neon.h.
#pragma once

#include "engine/kernels/isa/products.inl.h"

namespace bert {
namespace {

struct I8Dot : I8 {
  using Weight = int8_t;
  using Activation = uint8_t;
  static float32x4_t load4(const Storage* p) { return vreinterpretq_f32_s8(vld1q_s8(p)); }
  static Lanes load16(const Storage* p) { return {load4(p), load4(p + 16), load4(p + 32), load4(p + 48)}; }
  static Lanes multiply_add(Lanes x, Lanes w, Lanes sum) {
    return each(x, w, sum, [](float32x4_t i, float32x4_t j, float32x4_t old) {
      asm("sdot %0.4s, %1.16b, %2.16b" : "+w"(old) : "w"(i), "w"(j));
      return old;
    });
  }
  template <int i>
  static Lanes multiply_add_unit(float32x4_t x, Lanes w, Lanes sum) {
    return each(w, sum, [&](float32x4_t four, float32x4_t old) {
      asm("sdot %0.4s, %1.16b, %2.4b[%3]" : "+w"(old) : "w"(four), "w"(x), "i"(i));
      return old;
    });
  }
  static void store16(Activation* to, Lanes x) {
    const auto halves = [](float32x4_t i, float32x4_t j) {
      return vcombine_s16(vmovn_s32(integers(i)), vmovn_s32(integers(j)));
    };
    const int8x16_t packed = vcombine_s8(vmovn_s16(halves(x.a, x.b)), vmovn_s16(halves(x.c, x.d)));
    vst1q_u8(to, veorq_u8(vreinterpretq_u8_s8(packed), vdupq_n_u8(128)));
  }
  static Lanes corrected(Lanes sum, int32_t zero, const int32_t* weight_sums) {
    return I8::corrected(sum, zero - 128, weight_sums);
  }
};

}  // namespace
}  // namespace bert
