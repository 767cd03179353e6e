#include "engine/kernels/isa/lanes_neon.h"
// the Lanes first
#include "engine/kernels/isa/table.inl.h"

namespace bert {

constinit const KernelTable kNeonKernels = make_table();
constinit const FloatProductKernels kNeonFloatProducts = make_float_products();
constinit const FloatProductKernels kNeonBFloat16Products = make_bfloat16_products<Rounded>(kName);
constinit const Int8ProductKernels kNeonInt8Products = make_int8_products<I8>(kName);
constinit const ScanKernels kNeonScans = make_scans<I8>(kName);

}  // namespace bert
