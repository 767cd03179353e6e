#include "engine/base/cache_sizes.h"

#include <gtest/gtest.h>

namespace bert {
namespace {

TEST(CacheSizes, AreThoseThatAreKnown) {
  const CacheSizes sizes = cache_sizes_of(49152, 2097152);
  EXPECT_EQ(sizes.l1_data, 49152u);
  EXPECT_EQ(sizes.l2, 2097152u);
}

TEST(CacheSizes, AreOrdinaryOnesWhereNoneAreKnown) {
  for (const long unknown : {0L, -1L}) {
    EXPECT_EQ(cache_sizes_of(unknown, 262144).l1_data, 32768u);
    EXPECT_EQ(cache_sizes_of(unknown, 262144).l2, 262144u);
    EXPECT_EQ(cache_sizes_of(49152, unknown).l1_data, 49152u);
    EXPECT_EQ(cache_sizes_of(49152, unknown).l2, 1048576u);
  }
}

TEST(CacheSizes, OfThisCpuArePlausible) {
  EXPECT_GE(cache_sizes().l1_data, 4096u);
  EXPECT_GE(cache_sizes().l2, cache_sizes().l1_data);
}

}  // namespace
}  // namespace bert
