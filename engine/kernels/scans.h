// Chooses the kernels of exact search for a set of CPU features.
#pragma once

#include "engine/base/cpu_features.h"
#include "engine/kernels/scan_kernel.h"

namespace bert {

// Returns the fastest kernels that these features allow.
const ScanKernels& scans_for(CpuFeatures features);

}  // namespace bert
