#include "engine/base/descriptor.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;

TEST(Descriptor, TellsTheKindTheSizeAndTheTime) {
  const TemporaryDirectory directory;
  const fs::path path = directory.write("x", "12345");
  std::error_code error;
  const FileStatus status = Descriptor::open(path, error).status(error);
  EXPECT_FALSE(error);
  EXPECT_EQ(status.type, fs::file_type::regular);
  EXPECT_EQ(status.bytes, 5u);
  EXPECT_GT(status.modified_ns, 1'700'000'000'000'000'000);  // a time in 2023
  EXPECT_EQ(Descriptor::open(directory.path(), error).status(error).type, fs::file_type::directory);
  EXPECT_EQ(Descriptor::open("NUL", error).status(error).type, fs::file_type::character);
}

TEST(Descriptor, OfWhatIsNotThereIsNone) {
  const TemporaryDirectory directory;
  std::error_code error;
  const Descriptor none = Descriptor::open(directory.path() / "none", error);
  EXPECT_FALSE(none.is_open());
  EXPECT_EQ(error, std::errc::no_such_file_or_directory);
  none.status(error);
  EXPECT_TRUE(error);
  std::string bytes(4, '-');
  EXPECT_EQ(none.read_at(0, bytes, error), 0u);
  EXPECT_TRUE(error);
}

// A new file is renamed so, while it is open.
TEST(Descriptor, LetsItsFileTakeTheNameOfAnother) {
  const TemporaryDirectory directory;
  const fs::path path = directory.write("x", "new"), other = directory.write("y", "old");
  std::error_code error;
  const Descriptor file = Descriptor::open(path, error);
  fs::rename(path, other, error);
  EXPECT_FALSE(error) << error.message();
  EXPECT_EQ(test::read_file(other), "new");
}

}  // namespace
}  // namespace bert
