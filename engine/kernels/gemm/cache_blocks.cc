#include "engine/kernels/gemm/cache_blocks.h"

#include <algorithm>

namespace bert {

CacheBlocks cache_blocks(const ProductKernel& kernel, const CacheSizes& caches) {
  const size_t panel = kernel.output_tile;
  // The group takes 9/16 of L2, because rows of x and y also need space there.
  const size_t panel_bytes = panel * kGemmDepth * sizeof(float);
  const size_t group_panels = caches.l2 * 9 / 16 / panel_bytes;
  // A block of a panel, the rows' sums and their x take 3/4 of L1, of which at most 32 KiB are counted: with 48 KiB,
  // 8,192 rows of all-MiniLM-L6-v2 took 7 % longer on a Zen 5 with AVX-512, 3 % with AVX2.
  constexpr size_t kLargestL1 = size_t{32} << 10;
  const size_t l1_floats = std::min(caches.l1_data, kLargestL1) * 3 / 4 / sizeof(float);
  const size_t block_floats = kLinearBlock * panel;
  const size_t rows = l1_floats > block_floats ? (l1_floats - block_floats) / (panel + kLinearBlock) : 0;
  const size_t whole_tiles = std::min(rows, kMaxRowGroup) / kernel.row_tile * kernel.row_tile;
  return {.group_panels = std::clamp<size_t>(group_panels, 1, kernel.max_group_panels),
          .row_group = std::max(whole_tiles, kernel.row_tile)};
}

}  // namespace bert
