// Returns whether this engine's relaxed multiply-add is fused, for float32 and float64; if it is not, the product is
// rounded before the sum. Built with relaxed instructions; an engine without them rejects a module that contains this
// function.
#include <wasm_simd128.h>

#include "engine/base/cpu_features.h"

namespace bert {

bool fuses_relaxed_multiply_add() {
  // (1 + u)² - (1 + 2u) is u² if it is rounded once, and 0 if u² was rounded away before.
  volatile float narrow = 0x1p-12f;
  volatile double wide = 0x1p-27;
  const v128_t x = wasm_f32x4_splat(1 + narrow), minus = wasm_f32x4_splat(-1 - 2 * narrow);
  const v128_t y = wasm_f64x2_splat(1 + wide), lost = wasm_f64x2_splat(-1 - 2 * wide);
  return wasm_f32x4_extract_lane(wasm_f32x4_relaxed_madd(x, x, minus), 0) == 0x1p-24f &&
         wasm_f64x2_extract_lane(wasm_f64x2_relaxed_madd(y, y, lost), 0) == 0x1p-54;
}

}  // namespace bert
