#include "bert/memory.h"

#include <gtest/gtest.h>

#include "engine/base/memory.h"

namespace bert {
namespace {

TEST(AvailableMemory, IsAtMostTheUsable) {
  EXPECT_GT(usable_memory(), size_t{16} << 20);
  EXPECT_LT(usable_memory(), CgroupMemory::kNoLimit);
  EXPECT_GT(available_memory(), size_t{1} << 20);
  EXPECT_LE(available_memory(), usable_memory());
}

}  // namespace
}  // namespace bert
