#include "engine/base/file_source.h"

#include <gtest/gtest.h>

#include "bert/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::TemporaryDirectory;

TEST(FileSource, ReadsADirectorysFiles) {
  const TemporaryDirectory directory;
  directory.write("a.json", "12");
  directory.write("1_Pooling/config.json", "34");
  const DirectorySource source(directory.path());
  EXPECT_EQ(source.read("a.json", 2), "12");
  EXPECT_EQ(source.read("1_Pooling/config.json", 2), "34");
  EXPECT_EQ(source.read("b.json", 2), std::nullopt);
  EXPECT_EQ(source.read("2_Normalize/config.json", 2), std::nullopt);
  EXPECT_NE(error_of([&] { source.read("a.json", 1); }).find("2 bytes, expected at most 1"), std::string::npos);
  EXPECT_EQ(source.display_name("a.json"), (directory.path() / "a.json").string());
}

TEST(FileSource, ConfinesFoldersButNotTheUsersOwnFiles) {
  const TemporaryDirectory directory;
  directory.write("outside/config.json", "secret");
  fs::create_directory(directory.path() / "model");
  fs::create_directory_symlink("../outside", directory.path() / "model/1_Pooling");
  fs::create_symlink("../outside/config.json", directory.path() / "model/config.json");
  const DirectorySource source(directory.path() / "model");
  EXPECT_EQ(source.read("config.json", 10), "secret");
  EXPECT_NE(error_of([&] { source.read("1_Pooling/config.json", 10); }).find("which leads to"), std::string::npos);
}

TEST(FileSource, ReadsFilesInMemory) {
  const MemorySource source({{"a.json", "12"}}, "built-in");
  EXPECT_EQ(source.read("a.json", 2), "12");
  EXPECT_EQ(source.read("b.json", 2), std::nullopt);
  EXPECT_EQ(error_of([&] { source.read("a.json", 1); }), "'built-in/a.json': 2 bytes, expected at most 1");
}

}  // namespace
}  // namespace bert
