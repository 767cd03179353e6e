#include "engine/base/cpu.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

// The kernel's documentation defines cpu.max of cgroup v2 as "$MAX $PERIOD", where MAX may be "max".
TEST(CgroupCpuLimit, IsQuotaByPeriod) {
  EXPECT_EQ(cgroup_cpu_limit("200000 100000"), 2);
  EXPECT_EQ(cgroup_cpu_limit("50000 100000"), 0.5);
  EXPECT_EQ(cgroup_cpu_limit("150000 100000\n"), 1.5);
}

TEST(CgroupCpuLimit, IsNoneForWhatSaysNone) {
  for (const char* text : {"", "max 100000", "max", "-1 100000", "0 100000", "100000", "100000 0", "abc def", " ",
                           "100000 -5", "nan 100000"}) {
    EXPECT_EQ(cgroup_cpu_limit(text), 0) << "'" << text << "'";
  }
}

TEST(AvailableCpus, IsAtLeastOne) { EXPECT_GE(available_cpus(), 1u); }

TEST(AvailableCores, AreAtMostTheCpus) {
  EXPECT_GE(available_cores(), 1u);
  EXPECT_LE(available_cores(), available_cpus());
}

// The files have the form of the kernel's Documentation/admin-guide/cputopology.rst. CPUs 0 and 4 are one core, 1 and 5
// another.
TEST(CountCores, CountsCpusOfOneCoreOnce) {
  const test::TemporaryDirectory system;
  const auto add_cpu = [&](const std::string& cpu, const std::string& core) {
    std::filesystem::create_directories(system.path() / cpu / "topology");
    std::ofstream(system.path() / cpu / "topology/core_cpus_list") << core << "\n";
  };
  add_cpu("cpu0", "0,4");
  add_cpu("cpu4", "0,4");
  add_cpu("cpu1", "1,5");
  add_cpu("cpu5", "1,5");
  EXPECT_EQ(count_cores(std::vector<size_t>{0, 1, 4, 5}, system.path()), 2u);
  EXPECT_EQ(count_cores(std::vector<size_t>{0, 4}, system.path()), 1u);
  EXPECT_EQ(count_cores(std::vector<size_t>{0, 5}, system.path()), 2u);
  EXPECT_EQ(count_cores(std::vector<size_t>{0, 4, 7, 8}, system.path()), 3u) << "7 and 8 have no files";
}

}  // namespace
}  // namespace bert
