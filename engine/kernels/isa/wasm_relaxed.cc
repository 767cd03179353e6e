#define BERT_RELAXED_SIMD
#include "engine/kernels/isa/lanes_wasm.h"
// the Lanes first
#include "engine/kernels/isa/table.inl.h"

namespace bert {

constinit const KernelTable kRelaxedKernels = make_table();
constinit const FloatProductKernels kRelaxedFloatProducts = make_float_products();
constinit const FloatProductKernels kRelaxedBFloat16Products = make_bfloat16_products<Rounded>(kName);
constinit const Int8ProductKernels kRelaxedInt8Products = make_int8_products<I8>(kName);
constinit const ScanKernels kRelaxedScans = make_scans<I8>(kName);

}  // namespace bert
