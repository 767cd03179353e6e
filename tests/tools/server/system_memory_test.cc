// Limits of cgroups, in directories like the kernel's.
#include "tools/server/system_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "tests/support/sanitizers.h"
#include "tests/support/temporary_directory.h"

namespace bert::test {
namespace {

constexpr size_t kNone = std::numeric_limits<size_t>::max();

class CgroupMemory : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = directory_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  size_t limit(const std::string& groups) { return server::cgroup_memory_limit(groups, directory_.path().string()); }

  TemporaryDirectory directory_;
};

TEST_F(CgroupMemory, IsTheLeastUpToTheRoot) {
  write("a/memory.max", "1000000\n");
  write("a/b/memory.max", "max\n");
  write("a/b/c/memory.max", "3000000\n");
  EXPECT_EQ(limit("0::/a/b/c\n"), 1'000'000u);
  EXPECT_EQ(limit("0::/a/b\n"), 1'000'000u);
  EXPECT_EQ(limit("0::/other\n"), kNone);
  write("memory.max", "500000\n");  // of a container that sees its own group as the root
  EXPECT_EQ(limit("0::/\n"), 500'000u);
  EXPECT_EQ(limit("0::/a/b/c\n"), 500'000u);
}

TEST_F(CgroupMemory, ReadsVersion1) {
  write("memory/a/memory.limit_in_bytes", "2000000\n");
  write("memory.max", "7\n");  // of version 2
  EXPECT_EQ(limit("5:cpu,cpuacct:/b\n4:memory:/a\n"), 2'000'000u);
  EXPECT_EQ(limit("4:cpu,memory:/a\n"), 2'000'000u);
  EXPECT_EQ(limit("5:cpu,cpuacct:/a\n"), kNone);
}

TEST_F(CgroupMemory, IsNoneForOtherTexts) {
  for (const char* groups : {"", "\n", "0", "0:", "0::", ":::", "nothing of it"}) EXPECT_EQ(limit(groups), kNone);
}

TEST(UsableMemory, IsAtMostTheLimitOfAddressSpace) {
#if BERT_SANITIZED
  GTEST_SKIP() << "SKIPPED, a sanitizer needs more address space than the limit";
#endif
  const size_t before = server::usable_memory();
  EXPECT_GT(before, 16u << 20);
  EXPECT_LT(before, kNone);
  rlimit former = {};
  ASSERT_EQ(::getrlimit(RLIMIT_DATA, &former), 0);
  rlimit less = former;
  less.rlim_cur = before - 4096;
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &less), 0);
  const size_t limited = server::usable_memory();
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &former), 0);
  EXPECT_EQ(limited, before - 4096);
}

}  // namespace
}  // namespace bert::test
