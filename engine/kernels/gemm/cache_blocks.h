// How many panels and rows of a product fit the caches of this CPU.
#pragma once

#include "engine/base/cache_sizes.h"
#include "engine/kernels/product_kernel.h"

namespace bert {

// At least one panel and one tile of rows, and at most the kernel's maximum.
CacheBlocks cache_blocks(const ProductKernel& kernel, const CacheSizes& caches);

}  // namespace bert
