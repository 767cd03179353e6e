#include "engine/base/cgroup.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace bert::test {
namespace {

std::vector<std::string> paths(std::string_view groups, std::string_view controller) {
  std::vector<std::string> all;
  for (const CgroupFolder& folder : cgroup_folders(groups, controller, "/m")) {
    all.push_back(std::to_string(folder.version) + ":" + folder.path);
  }
  return all;
}

using Paths = std::vector<std::string>;

TEST(CgroupFolders, GoUpToTheRoot) {
  EXPECT_EQ(paths("0::/a/b\n", "cpu"), (Paths{"2:/m/a/b", "2:/m/a", "2:/m"}));
  EXPECT_EQ(paths("0::/\n", "cpu"), (Paths{"2:/m"}));
  EXPECT_EQ(paths("0::/a", "memory"), (Paths{"2:/m/a", "2:/m"}));  // the line has no line feed
}

TEST(CgroupFolders, AreOfTheControllerInVersion1) {
  EXPECT_EQ(paths("5:cpu,cpuacct:/a\n4:memory:/b\n0::/c\n", "cpu"),
            (Paths{"1:/m/cpu/a", "1:/m/cpu", "2:/m/c", "2:/m"}));
  EXPECT_EQ(paths("5:cpuset:/a\n", "cpu"), Paths());
}

TEST(CgroupFolders, AreNoneForOtherTexts) {
  for (const char* groups : {"", "\n", "\n\n", "0", "0:", "nothing of it"}) EXPECT_EQ(paths(groups, "cpu"), Paths());
}

TEST(TextOfFile, IsEmptyForAFileThatCannotBeRead) {
  const TemporaryDirectory directory;
  EXPECT_EQ(text_of_file((directory.path() / "none").string()), "");
  std::ofstream(directory.path() / "file") << "a\nb";
  EXPECT_EQ(text_of_file((directory.path() / "file").string()), "a\nb\n");
}

}  // namespace
}  // namespace bert::test
