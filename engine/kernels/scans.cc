#include "engine/kernels/scans.h"

namespace bert {

const ScanKernels& scans_for([[maybe_unused]] CpuFeatures features) {
#if defined(__x86_64__)
  if (features.contains({CpuFeature::kAvx2, CpuFeature::kAvx512, CpuFeature::kAvx512Vnni})) return kAvx512VnniScans;
  if (features.contains({CpuFeature::kAvx2, CpuFeature::kAvx512})) return kAvx512Scans;
  if (features.contains({CpuFeature::kAvx2, CpuFeature::kAvxVnni})) return kAvxVnniScans;
  if (features.contains({CpuFeature::kAvx2})) return kAvx2Scans;
#elif defined(__aarch64__)
  if (features.contains({CpuFeature::kNeon})) return kNeonScans;
#elif defined(__wasm__)
  if (features.contains({CpuFeature::kSimd128, CpuFeature::kRelaxedSimd})) return kRelaxedScans;
  if (features.contains({CpuFeature::kSimd128})) return kWasmScans;
#endif
  return kPortableScans;
}

}  // namespace bert
