#include "engine/base/floating_point.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "engine/base/elementary.h"

namespace bert {
namespace {

constexpr unsigned kRoundDown = 0x2000;

unsigned x87_mode() {
  unsigned short mode = 0;
  asm volatile("fnstcw %0" : "=m"(mode));
  return mode;
}

TEST(DefaultFloatingPoint, IsSetAndThenTheCallersModeAgain) {
  std::thread([] {  // a thread of Windows begins with 53 bits
    const unsigned sse = __builtin_ia32_stmxcsr() | kRoundDown, x87 = x87_mode();
    __builtin_ia32_ldmxcsr(sse);
    {
      const DefaultFloatingPoint mode;
      EXPECT_EQ(__builtin_ia32_stmxcsr(), 0x1F80u);
      EXPECT_EQ(x87_mode(), 0x037Fu);
    }
    EXPECT_EQ(__builtin_ia32_stmxcsr(), sse);
    EXPECT_EQ(x87_mode(), x87);
  })
      .join();
}

TEST(Elementary, HasTheSameBitsInEveryThread) {
  const auto values = [] {
    std::vector<double> all;
    for (double x = 0.01; x < 30; x += 0.01) {
      all.insert(all.end(), {power_of(x, 1 / x), exponential_of(-x), log_of_one_plus(x)});
    }
    return all;
  };
  std::vector<double> in_thread;
  std::thread([&] { in_thread = values(); }).join();
  const DefaultFloatingPoint mode;
  EXPECT_EQ(in_thread, values());
}

}  // namespace
}  // namespace bert
