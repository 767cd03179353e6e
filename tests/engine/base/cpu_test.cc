#include "engine/base/cpu.h"

#include <gtest/gtest.h>

namespace bert {
namespace {

// The kernel's own documentation of cpu.max (cgroup v2): "$MAX $PERIOD", MAX may be "max".
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

}  // namespace
}  // namespace bert
