// What texts look like in a drawing.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

std::string page_of(const std::string& text) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "page.html").string();
  EXPECT_EQ(run_program({"explain", "--html", path, text}).status, 0);
  return read_file(path);
}

TEST(Drawing, WritesWhatHtmlTakesForMarkupAsText) {
  const std::string page = page_of("a<b>&\"c\"");
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_NE(page.find(">&lt;</text>"), std::string::npos);
  EXPECT_NE(page.find(">&amp;</text>"), std::string::npos);
}

TEST(Drawing, HasNoNumberThatIsNone) {
  const std::string page = page_of("a dog");
  for (const char* bad : {"nan", "inf\"", "=\"-0\""}) EXPECT_EQ(page.find(bad), std::string::npos) << bad;
}

}  // namespace
}  // namespace bert::test
