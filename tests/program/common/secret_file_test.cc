#include "program/common/secret_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "bert/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"

namespace bert::common {
namespace {

std::string error_of(ErrorCode code, const std::string& path) {
  return test::error_of(code, [&] { read_secret_file(path, "the key", 16); });
}

TEST(SecretFile, HasAllBytes) {
  const test::TemporaryDirectory folder;
  const std::string path = folder.write("key", std::string("\0a\n", 3)).string();
  EXPECT_EQ(read_secret_file(path, "the key"), std::string("\0a\n", 3));
  EXPECT_EQ(read_secret_file_if_there(folder.write("empty", "").string(), "the key"), "");
}

// Reading a pipe could wait for ever, and reading a device might not end.
TEST(SecretFile, IsARegularFileOfAFewBytes) {
  const test::TemporaryDirectory folder;
  const std::string pipe = (folder.path() / "pipe").string(), none = (folder.path() / "none").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile, pipe), "'" + pipe + "' is a pipe, expected a file with the key");
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile, "/dev/zero"), "'/dev/zero' is a device, expected a file with the key");
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile, folder.path().string()),
            "'" + folder.path().string() + "' is a directory, expected a file with the key");
  EXPECT_EQ(error_of(ErrorCode::kNotFound, none), "'" + none + "' does not exist, expected a file with the key");
  const std::string large = folder.write("large", std::string(17, 'a')).string();
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile, large),
            "'" + large + "' has more than 16 bytes, expected a file with the key");
  EXPECT_EQ(read_secret_file_if_there(none, "the key"), std::nullopt);
}

}  // namespace
}  // namespace bert::common
