#include "engine/base/cpu_features.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace bert {
namespace {

#if defined(__linux__)
// Linux lists those features of the CPU whose states it saves, by its own names.
TEST(SystemCpuFeatures, AreThoseThatLinuxLists) {
  std::ifstream file("/proc/cpuinfo");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto lists = [&](const std::string& feature) { return text.find(" " + feature) != std::string::npos; };
  if (!lists("fpu") && !lists("asimd")) GTEST_SKIP() << "/proc/cpuinfo lists no features";
  EXPECT_EQ(grants_tile_data(), lists("amx_tile"));
  EXPECT_EQ(features_of(arm_capabilities()).contains({CpuFeature::kNeon}), lists("asimd"));
  EXPECT_EQ(features_of(arm_capabilities()).contains({CpuFeature::kDotprod}), lists("asimddp"));
  EXPECT_EQ(features_of(arm_capabilities()).contains({CpuFeature::kI8mm}), lists("i8mm"));
}
#endif

}  // namespace
}  // namespace bert
