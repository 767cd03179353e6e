// Chooses the kernels of products, for each weight format and arithmetic, and of exact search, for a set of CPU
// features.
#pragma once

#include <array>
#include <cstddef>

#include "engine/base/cpu_features.h"
#include "engine/kernels/product_kernel.h"
#include "engine/kernels/scan_kernel.h"
#include "engine/tensor/weight_format.h"

namespace bert {

// One kernel for each WeightFormat, in its order; then the kernels of bfloat16 arithmetic for the floating-point
// formats.
using ProductKernels = std::array<const ProductKernel*, kWeightFormats + 3>;

constexpr size_t kernel_index(WeightFormat format, ProductArithmetic arithmetic = ProductArithmetic::kOfFormat) {
  return static_cast<size_t>(format) + (arithmetic == ProductArithmetic::kBFloat16 ? kWeightFormats : 0);
}

// Return the fastest kernels that these features allow.
ProductKernels products_for(CpuFeatures features);
const ScanKernels& scans_for(CpuFeatures features);

}  // namespace bert
