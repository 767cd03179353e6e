// Chooses how large the parts of a product are, so that they fit the caches. Stateless.
#pragma once

#include "engine/base/cache_sizes.h"
#include "engine/kernels/product_kernel.h"

namespace bert {

// Returns for this kernel: the panels of a group, for L2: 1 to kernel.max_group_panels; the rows of a group, for L1:
// whole tiles, at least one, at most kMaxRowGroup if a tile is not larger. Caches of 0 give the least of both.
CacheBlocks cache_blocks(const ProductKernel& kernel, const CacheSizes& caches);

}  // namespace bert
