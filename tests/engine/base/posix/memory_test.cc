// Tests limits of cgroups, in directories like the kernel's.
#include "engine/base/memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "bert/memory.h"
#include "tests/support/sanitizers.h"
#include "tests/support/temporary_directory.h"

namespace bert::test {
namespace {

constexpr size_t kNone = std::numeric_limits<size_t>::max();

class CgroupMemoryTest : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = directory_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  CgroupMemory memory(const std::string& groups) {
    return cgroup_memory(cgroup_folders(groups, "memory", directory_.path().string()));
  }
  size_t limit(const std::string& groups) { return memory(groups).limit; }

  TemporaryDirectory directory_;
};

TEST_F(CgroupMemoryTest, IsTheLeastUpToTheRoot) {
  write("a/memory.max", "1000000\n");
  write("a/b/memory.max", "max\n");
  write("a/b/c/memory.max", "3000000\n");
  EXPECT_EQ(limit("0::/a/b/c\n"), 1'000'000u);
  EXPECT_EQ(limit("0::/a/b\n"), 1'000'000u);
  EXPECT_EQ(limit("0::/other\n"), kNone);
  write("memory.max", "500000\n");  // in a container, its own group is the root
  EXPECT_EQ(limit("0::/\n"), 500'000u);
  EXPECT_EQ(limit("0::/a/b/c\n"), 500'000u);
}

TEST_F(CgroupMemoryTest, ReadsVersion1) {
  write("memory/a/memory.limit_in_bytes", "2000000\n");
  write("memory.max", "7\n");  // a file of version 2
  EXPECT_EQ(limit("5:cpu,cpuacct:/b\n4:memory:/a\n"), 2'000'000u);
  EXPECT_EQ(limit("4:cpu,memory:/a\n"), 2'000'000u);
  EXPECT_EQ(limit("5:cpu,cpuacct:/a\n"), kNone);
}

TEST_F(CgroupMemoryTest, LeavesWhatIsNotUsedOrCanBeDropped) {
  write("a/memory.max", "1000000\n");
  EXPECT_EQ(memory("0::/a\n").left, 1'000'000u);  // the memory in use is unknown
  write("a/memory.current", "700000\n");
  write("a/memory.stat", "anon 1\nactive_file 2\ninactive_file 250000\nslab 3\n");
  EXPECT_EQ(memory("0::/a\n").left, 550'000u);
  write("memory.max", "800000\n");
  write("memory.current", "900000\n");
  EXPECT_EQ(memory("0::/a\n").left, 0u);
  write("memory/b/memory.limit_in_bytes", "2000000\n");
  write("memory/b/memory.usage_in_bytes", "1900000\n");
  write("memory/b/memory.stat", "inactive_file 5\ntotal_inactive_file 400000\n");
  EXPECT_EQ(memory("4:memory:/b\n").left, 500'000u);
  EXPECT_EQ(memory("4:memory:/other\n").left, CgroupMemory::kNoLimit);
}

TEST_F(CgroupMemoryTest, IsNoneForOtherTexts) {
  for (const char* groups : {"", "\n", "0", "0:", "0::", ":::", "nothing of it"}) EXPECT_EQ(limit(groups), kNone);
}

TEST(UsableMemory, IsAtMostTheLimitOfAddressSpace) {
#if BERT_SANITIZED
  GTEST_SKIP() << "SKIPPED, a sanitizer needs more address space than the limit";
#endif
  const size_t before = usable_memory();
  EXPECT_GT(before, 16u << 20);
  EXPECT_LT(before, kNone);
  rlimit former = {};
  ASSERT_EQ(::getrlimit(RLIMIT_DATA, &former), 0);
  rlimit less = former;
  less.rlim_cur = before - 4096;
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &less), 0);
  const size_t limited = usable_memory();
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &former), 0);
  EXPECT_EQ(limited, before - 4096);
}

TEST(AvailableMemory, IsLessByWhatIsUsed) {
#if BERT_SANITIZED
  GTEST_SKIP() << "SKIPPED, a sanitizer needs more address space than the limit";
#endif
  EXPECT_LE(available_memory(), usable_memory());
  EXPECT_GT(available_memory(), 1u << 20);
  rlimit former = {};
  ASSERT_EQ(::getrlimit(RLIMIT_DATA, &former), 0);
  rlimit less = former;
  less.rlim_cur = 256u << 20;
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &less), 0);
  const size_t before = available_memory();
  const std::vector<char> more(64u << 20, 1);
  const size_t after = available_memory();
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &former), 0);
  EXPECT_LT(before, 256u << 20);
  EXPECT_NEAR(static_cast<double>(before - after), static_cast<double>(more.size()), 1 << 20);
}

}  // namespace
}  // namespace bert::test
