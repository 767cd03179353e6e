#include "engine/base/cpu.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <thread>

namespace bert {
namespace {

#if defined(__linux__)
TEST(AllowedCpus, AreThoseOfTheAffinityMask) {
  const std::vector<size_t> all = allowed_cpus();
  ASSERT_FALSE(all.empty());
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  // Another thread changes its mask, so that the other threads keep theirs.
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(all.back(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    EXPECT_EQ(allowed_cpus(), std::vector<size_t>{all.back()});
  }).join();
}
#endif

}  // namespace
}  // namespace bert
