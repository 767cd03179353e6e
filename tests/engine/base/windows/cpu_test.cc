#include "engine/base/cpu.h"

#include <gtest/gtest.h>

#include <thread>

namespace bert {
namespace {

TEST(AllowedCpus, AreThoseOfTheProcess) {
  EXPECT_EQ(allowed_cpus().size(), std::thread::hardware_concurrency());
  EXPECT_GE(available_cores(), 1u);
  EXPECT_LE(available_cores(), available_cpus());
  EXPECT_EQ(cores_of(std::vector<size_t>{allowed_cpus().front()}), 1u);
}

}  // namespace
}  // namespace bert
