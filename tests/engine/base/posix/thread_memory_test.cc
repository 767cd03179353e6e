#include "engine/base/thread_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>

namespace bert {
namespace {

constexpr size_t kBytes = 10000;

TEST(ThreadMemory, IsZerosAtFirstAndStays) {
  static const ThreadMemory memory(kBytes);
  auto* const bytes = static_cast<char*>(memory.of_this_thread());
  ASSERT_NE(bytes, nullptr);
  EXPECT_TRUE(std::all_of(bytes, bytes + kBytes, [](char byte) { return byte == 0; }));
  std::memset(bytes, 1, kBytes);
  EXPECT_EQ(memory.of_this_thread(), bytes);
  EXPECT_EQ(bytes[kBytes - 1], 1);
}

TEST(ThreadMemory, IsEachThreadsOwn) {
  static const ThreadMemory memory(kBytes), other(kBytes);
  void* const here = memory.of_this_thread();
  EXPECT_NE(other.of_this_thread(), here);
  std::memset(here, 1, kBytes);
  std::thread([&] {
    const auto* const bytes = static_cast<const char*>(memory.of_this_thread());
    ASSERT_NE(bytes, nullptr);
    EXPECT_NE(bytes, here);
    EXPECT_EQ(bytes[0], 0);
  }).join();
}

}  // namespace
}  // namespace bert
