#include "program/common/system_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <thread>

namespace bert::common {
namespace {

// The text is larger than a pipe's buffer, so that the system accepts it in parts.
TEST(WriteAll, WritesWhatTheSystemTakesInParts) {
  std::array<int, 2> ends;
  ASSERT_EQ(::pipe(ends.data()), 0);
  const std::string text(300'000, 'x');
  std::string read;
  std::thread reader([&] {
    std::array<char, 4096> part;
    for (ssize_t size; (size = ::read(ends[0], part.data(), part.size())) > 0;) {
      read.append(part.data(), static_cast<size_t>(size));
    }
  });
  EXPECT_TRUE(write_all(ends[1], text));
  ::close(ends[1]);
  reader.join();
  ::close(ends[0]);
  EXPECT_TRUE(read == text);
}

TEST(WriteAll, TellsTheReason) {
  EXPECT_FALSE(write_all(-1, "a"));
  EXPECT_EQ(errno, EBADF);
}

}  // namespace
}  // namespace bert::common
