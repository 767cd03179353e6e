// Chooses the kernel for each weight format, for a set of CPU features.
#pragma once

#include <array>
#include <cstddef>

#include "engine/base/cpu_features.h"
#include "engine/kernels/product_kernel.h"
#include "engine/tensor/weight_format.h"

namespace bert {

// One kernel for each WeightFormat, in its order.
using ProductKernels = std::array<const ProductKernel*, kWeightFormats>;

// The fastest kernels allowed by these features.
ProductKernels products_for(CpuFeatures features);

}  // namespace bert
