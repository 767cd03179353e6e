#include "engine/base/cache_sizes.h"

#include <gtest/gtest.h>

namespace bert {
namespace {

TEST(CacheSizes, OfThisCpuArePlausible) {
  EXPECT_GE(cache_sizes().l1_data, 4096u);
  EXPECT_GE(cache_sizes().l2, cache_sizes().l1_data);
}

}  // namespace
}  // namespace bert
