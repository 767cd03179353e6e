#include "program/server/base/log_writer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>

namespace bert::test {
namespace {

using server::LogWriter;

class LogWriterTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::pipe(ends_.data()), 0); }
  void TearDown() override {
    for (const int end : ends_) {
      if (end >= 0) ::close(end);
    }
  }

  // Closes the writing end and returns the rest of the pipe's content.
  std::string read_all() {
    ::close(std::exchange(ends_[1], -1));
    std::string all;
    std::array<char, 4096> part;
    for (ssize_t size; (size = ::read(ends_[0], part.data(), part.size())) > 0;) {
      all.append(part.data(), static_cast<size_t>(size));
    }
    return all;
  }

  std::array<int, 2> ends_ = {-1, -1};
};

TEST_F(LogWriterTest, WritesTheLinesInTheirOrder) {
  std::string expected;
  {
    LogWriter writer(ends_[1]);
    for (int i = 0; i < 100; ++i) {
      writer.write(std::to_string(i));
      expected += std::to_string(i) + "\n";
    }
    EXPECT_EQ(writer.dropped_lines(), 0u);
  }
  EXPECT_EQ(read_all(), expected);
}

TEST_F(LogWriterTest, DropsAndCountsWhatAStalledReaderLeavesNoRoomFor) {
  const auto begin = std::chrono::steady_clock::now();
  constexpr size_t kLines = 300, kBytes = 1000;  // a pipe holds 64 KiB
  size_t taken = 0;
  {
    LogWriter writer(ends_[1], 50 * kBytes);
    for (size_t i = 0; i < kLines; ++i) writer.write(std::string(kBytes - 1, 'x'));
    EXPECT_GE(writer.dropped_lines(), kLines - 65 - 50 - 50);
    EXPECT_LT(writer.dropped_lines(), kLines);
    taken = kLines - writer.dropped_lines();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  // If the reader stalls, the writer's thread lives longer than the writer. The test reads all lines that it accepted,
  // so that the thread's last write is done before the pipe is closed.
  std::string all(taken * kBytes, '\0');
  for (size_t size = 0; size < all.size();) {
    const ssize_t more = ::read(ends_[0], all.data() + size, all.size() - size);
    ASSERT_GT(more, 0);
    size += static_cast<size_t>(more);
  }
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), static_cast<ssize_t>(taken));
}

TEST_F(LogWriterTest, CountsWhatCannotBeWritten) {
  ::close(std::exchange(ends_[0], -1));
  LogWriter writer(ends_[1]);
  writer.write("a line");
  for (int i = 0; i < 1000 && writer.dropped_lines() == 0; ++i) ::usleep(1000);
  EXPECT_EQ(writer.dropped_lines(), 1u);
}

}  // namespace
}  // namespace bert::test
