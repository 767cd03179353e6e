#include "engine/kernels/isa/lanes_wasm.h"
// the Lanes first
#include "engine/kernels/isa/table.inl.h"

namespace bert {

constinit const KernelTable kWasmKernels = make_table();
constinit const FloatProductKernels kWasmFloatProducts = make_float_products();
constinit const FloatProductKernels kWasmBFloat16Products = make_bfloat16_products<Rounded>(kName);
constinit const Int8ProductKernels kWasmInt8Products = make_int8_products<I8>(kName);
constinit const ScanKernels kWasmScans = make_scans<I8>(kName);

}  // namespace bert
