#include "engine/kernels/isa/lanes_portable.h"
// the Lanes first
#include "engine/kernels/isa/table.inl.h"

namespace bert {

constinit const KernelTable kPortableKernels = make_table();
constinit const FloatProductKernels kPortableFloatProducts = make_float_products();
constinit const FloatProductKernels kPortableBFloat16Products = make_bfloat16_products<Rounded>(kName);
constinit const Int8ProductKernels kPortableInt8Products = make_int8_products<I8>(kName);
constinit const ScanKernels kPortableScans = make_scans<I8>(kName);

}  // namespace bert
