// Chooses the sizes of the parts of a product so that they fit into the caches. Stateless.
#pragma once

#include "engine/base/cache_sizes.h"
#include "engine/kernels/product_kernel.h"

namespace bert {

// Returns for this kernel: the panels of a group, for L2: 1 to kernel.max_group_panels; the rows of a group, for L1:
// whole tiles, at least one, and at most kMaxRowGroup rows unless one tile is larger. Caches of size 0 give the minimum
// of both.
CacheBlocks cache_blocks(const ProductKernel& kernel, const CacheSizes& caches);

}  // namespace bert
