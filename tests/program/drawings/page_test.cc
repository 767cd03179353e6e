// Tests the pages as files. tests/program/pages_test.py opens them in a browser.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

TEST(Page, IsOneFileThatNeedsNothingElse) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "page.html").string();
  ASSERT_EQ(run_program({"explain", "--html", path, "a dog"}).status, 0);
  const std::string page = read_file(path);
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  for (const char* foreign : {"<script", "<link", "<img", "src=", "href=", "url(", "@import", "http"}) {
    EXPECT_EQ(page.find(foreign), std::string::npos) << foreign;
  }
  EXPECT_NE(page.find("prefers-color-scheme: dark"), std::string::npos);
  EXPECT_NE(page.find("@media print"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
}

TEST(Page, IsTheSameEachTime) {
  const TemporaryDirectory folder;
  const std::string one = (folder.path() / "one.html").string(), two = (folder.path() / "two.html").string();
  run_program({"attention", "--html", one, "a dog"});
  run_program({"attention", "--html", two, "--threads", "2", "a dog"});
  EXPECT_EQ(read_file(one), read_file(two));
}

TEST(Page, LeavesTheTableAsItIs) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "page.html").string();
  EXPECT_EQ(run_program({"explain", "--html", path, "a dog"}).out, run_program({"explain", "a dog"}).out);
}

TEST(Page, ThatCannotBeWrittenIsAFailure) {
  const ProgramResult result = run_program({"explain", "--html", "/nowhere/page.html", "a dog"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("/nowhere/page.html"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace bert::test
