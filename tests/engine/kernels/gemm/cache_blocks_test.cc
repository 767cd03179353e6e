#include "engine/kernels/gemm/cache_blocks.h"

#include <gtest/gtest.h>

#include "engine/kernels/products.h"

namespace bert {
namespace {

constexpr size_t KiB = 1024;

constexpr ProductKernel shape(size_t row_tile, size_t output_tile, size_t max_group_panels) {
  ProductKernel kernel{};
  kernel.row_tile = row_tile;
  kernel.output_tile = output_tile;
  kernel.max_group_panels = max_group_panels;
  return kernel;
}
constexpr ProductKernel kWide = shape(8, 48, 4);    // AVX-512's
constexpr ProductKernel kNarrow = shape(6, 16, 6);  // AVX2's

// The kernels were tuned on a Cascade Lake with these caches. The expected blocks were the fastest.
TEST(CacheBlocks, AreThoseThatWereMeasured) {
  const CacheSizes caches = {.l1_data = 32 * KiB, .l2 = 1024 * KiB};
  EXPECT_EQ(cache_blocks(kWide, caches).group_panels, 4u);
  EXPECT_EQ(cache_blocks(kWide, caches).row_group, 24u);
  EXPECT_EQ(cache_blocks(kNarrow, caches).group_panels, 6u);
  EXPECT_EQ(cache_blocks(kNarrow, caches).row_group, 60u);
}

TEST(CacheBlocks, ShrinkWithTheCaches) {
  const CacheSizes caches = {.l1_data = 16 * KiB, .l2 = 256 * KiB};
  EXPECT_EQ(cache_blocks(kWide, caches).group_panels, 1u);    // a panel has 144 KiB, and 144 KiB are available
  EXPECT_EQ(cache_blocks(kWide, caches).row_group, 8u);       // there is no room, so it is one tile
  EXPECT_EQ(cache_blocks(kNarrow, caches).group_panels, 3u);  // a panel has 48 KiB
  EXPECT_EQ(cache_blocks(kNarrow, caches).row_group, 24u);    // (12 - 4) KiB / 320 bytes = 25 rows
}

TEST(CacheBlocks, AreOnePanelAndOneTileAtLeast) {
  const CacheBlocks blocks = cache_blocks(kWide, {.l1_data = 1, .l2 = 1});
  EXPECT_EQ(blocks.group_panels, 1u);
  EXPECT_EQ(blocks.row_group, 8u);
}

TEST(CacheBlocks, AreNoLargerThanTheKernelTakes) {
  const CacheSizes caches = {.l1_data = size_t{1} << 30, .l2 = size_t{1} << 40};
  for (const NamedCpuFeatures& named : kNamedCpuFeatures) {
    for (const ProductKernel* kernel : products_for(named.allowed)) {
      const CacheBlocks blocks = cache_blocks(*kernel, caches);
      EXPECT_EQ(blocks.group_panels, kernel->max_group_panels);
      EXPECT_LE(blocks.row_group, kMaxRowGroup);
      EXPECT_EQ(blocks.row_group % kernel->row_tile, 0u);
    }
  }
}

}  // namespace
}  // namespace bert
