#include "engine/base/cache_sizes.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/temporary_directory.h"

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

void describe(const test::TemporaryDirectory& cpu, const std::string& index, const std::string& level,
              const std::string& type, const std::string& size) {
  cpu.write(index + "/level", level + "\n");
  cpu.write(index + "/type", type + "\n");
  cpu.write(index + "/size", size + "\n");
}

// Linux describes a Neoverse N1 so.
TEST(CacheSizes, AreThoseThatLinuxDescribes) {
  const test::TemporaryDirectory cpu;
  describe(cpu, "index0", "1", "Data", "64K");
  describe(cpu, "index1", "1", "Instruction", "48K");
  describe(cpu, "index2", "2", "Unified", "1024K");
  describe(cpu, "index3", "3", "Unified", "32768K");
  EXPECT_EQ(cache_sizes_in(cpu.path()).l1_data, 65536u);
  EXPECT_EQ(cache_sizes_in(cpu.path()).l2, 1048576u);
}

TEST(CacheSizes, AreOrdinaryOnesWhereLinuxDescribesNone) {
  const test::TemporaryDirectory cpu;
  EXPECT_EQ(cache_sizes_in(cpu.path()).l1_data, 32768u);
  for (const char* wrong : {"", "K", "64", "-64K", "9999999999999K"}) {
    describe(cpu, "index0", "1", "Data", wrong);
    EXPECT_EQ(cache_sizes_in(cpu.path()).l1_data, 32768u) << wrong;
  }
  EXPECT_EQ(cache_sizes_in(cpu.path()).l2, 1048576u);
}

}  // namespace
}  // namespace bert
