#include "bert/new_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

namespace fs = std::filesystem;

TEST(NewFile, HasItsNameWhenItIsComplete) {
  const test::TemporaryDirectory folder;
  const fs::path path = folder.path() / "file";
  {
    NewFile file(path);
    file.write("one ");
    file.write("two");
    EXPECT_EQ(file.bytes(), 7u);
    EXPECT_FALSE(fs::exists(path));
    file.publish();
  }
  EXPECT_EQ(test::read_file(path), "one two");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(NewFile, IsRemovedWhereItIsNotPublished) {
  const test::TemporaryDirectory folder;
  { NewFile(folder.path() / "file").write("one"); }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(NewFile, ReplacesAFileOnlyWhereItMay) {
  const test::TemporaryDirectory folder;
  const fs::path path = folder.write("file", "before");
  EXPECT_NE(
      test::error_of(ErrorCode::kInvalidArgument, [&] { NewFile again(path); }).find("expected the name of a new"),
      std::string::npos);
  NewFile file(path, NewFile::Existing::kReplace);
  file.write("after");
  EXPECT_EQ(test::read_file(path), "before");
  file.publish();
  EXPECT_EQ(test::read_file(path), "after");
}

TEST(NewFile, WritesThroughNoLink) {
  const test::TemporaryDirectory folder;
  const fs::path others = folder.write("others", "others");
  fs::create_symlink(others, folder.path() / "file.partial");
  NewFile file(folder.path() / "file");
  file.write("mine");
  file.publish();
  EXPECT_EQ(test::read_file(others), "others");
  EXPECT_EQ(test::read_file(folder.path() / "file"), "mine");
}

TEST(NewFileDeathTest, TellsTheSystemsReason) {
  const test::TemporaryDirectory folder;
  const auto beyond_the_limit = [&] {
    const rlimit limit = {.rlim_cur = 1000, .rlim_max = 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    try {
      NewFile(folder.path() / "file").write(std::string(5000, 'x'));
    } catch (const Error& error) {
      std::fputs(error.what(), stderr);
      std::_Exit(1);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(beyond_the_limit(), ::testing::ExitedWithCode(1), "file': cannot be written: File too large");
}

}  // namespace
}  // namespace bert
