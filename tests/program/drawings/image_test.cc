// A picture as a browser gets it; tests/program/drawings/charts_test.cc decodes those of a page.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

// Both signs of the learned cosines, and those of the sinusoids, which are all positive; as many bars of their colours;
// all in two forms.
TEST(Images, AreInThePage) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "page.html").string();
  ASSERT_EQ(run_program({"positions", "--html", path}).status, 0);
  const std::string page = read_file(path);
  size_t images = 0, at = 0;
  // The eight bytes that begin a PNG, and its first chunk's length and name.
  while ((at = page.find("href=\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUg", at + 1)) != std::string::npos) ++images;
  EXPECT_EQ(images, 12u);
  EXPECT_EQ(page.find("href=\"http"), std::string::npos);
}

}  // namespace
}  // namespace bert::test
