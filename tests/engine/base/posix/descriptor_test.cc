#include "engine/base/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;

TEST(Descriptor, TellsTheKindTheSizeAndTheTime) {
  const TemporaryDirectory directory;
  const fs::path path = directory.write("x", "12345");
  const timespec times[2] = {{}, {.tv_sec = 1700000000, .tv_nsec = 123456789}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  std::error_code error;
  const FileStatus status = Descriptor::open(path, error).status(error);
  EXPECT_FALSE(error);
  EXPECT_EQ(status.type, fs::file_type::regular);
  EXPECT_EQ(status.bytes, 5u);
  EXPECT_EQ(status.modified_ns, 1700000000123456789);
}

TEST(Descriptor, TellsKindsThatAreNoRegularFile) {
  const TemporaryDirectory directory;
  const fs::path fifo = directory.path() / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::error_code error;
  EXPECT_EQ(Descriptor::open(fifo, error).status(error).type, fs::file_type::fifo) << "and opening it did not wait";
  EXPECT_EQ(Descriptor::open("/dev/null", error).status(error).type, fs::file_type::character);
  EXPECT_EQ(Descriptor::open(directory.path(), error).status(error).type, fs::file_type::directory);
}

TEST(Descriptor, OfWhatIsNotThereIsNone) {
  const TemporaryDirectory directory;
  std::error_code error;
  EXPECT_FALSE(Descriptor::open(directory.path() / "none", error).is_open());
  EXPECT_EQ(error, std::errc::no_such_file_or_directory);
  const Descriptor none = Descriptor::open(directory.write("x", "") / "inside", error);
  EXPECT_EQ(error, std::errc::not_a_directory);
  none.status(error);
  EXPECT_EQ(error, std::errc::bad_file_descriptor);
  std::string bytes(4, '-');
  EXPECT_EQ(none.read_at(0, bytes, error), 0u);
  EXPECT_EQ(error, std::errc::bad_file_descriptor);
}

TEST(Descriptor, CreatesAFileWithItsPermissions) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "new";
  std::error_code error;
  ASSERT_TRUE(Descriptor::create(path, fs::perms::owner_all, error).is_open());
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
}

TEST(Descriptor, ReportsWhatCannotBeWritten) {
  const TemporaryDirectory directory;
  std::error_code error;
  Descriptor for_reading = Descriptor::open(directory.write("x", ""), error);
  const std::byte byte{};
  EXPECT_EQ(for_reading.write(std::span(&byte, 1)), std::errc::bad_file_descriptor);
}

TEST(Descriptor, WaitsForTheNamesOfADirectory) {
  const TemporaryDirectory directory;
  std::error_code error;
  EXPECT_FALSE(Descriptor::open(directory.path(), error).sync());
}

TEST(Descriptor, IsOpenInOnePlace) {
  const TemporaryDirectory directory;
  std::error_code error;
  Descriptor first = Descriptor::open(directory.write("x", "1"), error);
  const int number = first.number();
  Descriptor second = std::move(first);
  EXPECT_FALSE(first.is_open());  // NOLINT: tests a moved descriptor
  EXPECT_EQ(second.number(), number);
  second = {};
  EXPECT_FALSE(second.is_open());
  EXPECT_EQ(::close(number), -1) << "it was closed";
}

}  // namespace
}  // namespace bert
