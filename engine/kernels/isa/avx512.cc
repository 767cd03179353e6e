#include "engine/kernels/isa/lanes_avx512.h"
// the Lanes first
#include "engine/kernels/isa/table.inl.h"

namespace bert {

constinit const KernelTable kAvx512Kernels = make_table();
constinit const FloatProductKernels kAvx512FloatProducts = make_float_products();
constinit const FloatProductKernels kAvx512BFloat16Products = make_bfloat16_products<Rounded>(kName);
constinit const Int8ProductKernels kAvx512Int8Products = make_int8_products<I8>(kName);
constinit const ScanKernels kAvx512Scans = make_scans<I8>(kName);

}  // namespace bert
