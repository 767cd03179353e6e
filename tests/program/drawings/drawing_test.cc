// Tests how a drawing writes texts, numbers and images into its page.
#include "program/drawings/drawing.h"

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

// The learned cosines have images for both signs; those of the sinusoids are all positive and have one. There are as
// many colour bars as images, and everything is in two forms.
TEST(Images, AreInThePage) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "page.html").string();
  ASSERT_EQ(run_program({"positions", "--html", path}).status, 0);
  const std::string page = read_file(path);
  size_t images = 0, at = 0;
  // This is the base64 of a PNG's first eight bytes and its first chunk's length and name.
  while ((at = page.find("href=\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUg", at + 1)) != std::string::npos) ++images;
  EXPECT_EQ(images, 12u);
  EXPECT_EQ(page.find("href=\"http"), std::string::npos);
}

}  // namespace

}  // namespace bert::test
