// 8-bit products by SDOT, which adds four products of signed bytes to a 32-bit sum, without saturation.
#include "engine/kernels/isa/lanes_neon.h"
// the Lanes first
#include "engine/kernels/isa/dotprod.inl.h"

namespace bert {

constinit const Int8ProductKernels kDotprodInt8Products = make_int8_products<I8Dot>("dotprod");

}  // namespace bert
