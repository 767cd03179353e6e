// Counts what is drawn, in the page's source; tests/tools/pages_test.py checks the layout.
#include <gtest/gtest.h>

#include "tests/support/test_data.h"
#include "tests/tools/cli/program.h"

namespace bert::test {
namespace {

size_t count_of(const std::string& what, const std::string& text) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

std::string page_of(std::vector<std::string> command) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "page.html").string();
  command.insert(command.end(), {"--html", path});
  EXPECT_EQ(run_program(command).status, 0);
  return read_file(path);
}

TEST(Charts, DrawEveryHeadWithItsTokensAndArcs) {
  const std::string page = page_of({"attention", "a dog"});
  EXPECT_EQ(count_of("aria-label=\"layer ", page), 12u * 5);
  EXPECT_EQ(count_of(">dog</text>", page), 12u * 5);
  EXPECT_GE(count_of("C", page), 12u * 5 * 4);  // curves
}

TEST(Charts, PrintEveryNumberOfAHeatmap) {
  const nlohmann::json object = run_program({"explain", "--format", "json", "a dog"}).json();
  const std::string page = page_of({"explain", "a dog"});
  const size_t layers = object["moved"].size();
  EXPECT_EQ(count_of("text-anchor=\"middle\"", page), layers + layers * object["tokens"].size());
}

TEST(Charts, DrawALineForEachSeries) {
  const std::string page = page_of({"segments", "a dog", "a cat"});
  for (const char* ink : {"blue", "orange", "green"}) {
    EXPECT_EQ(count_of("<path class=\"pen " + std::string(ink), page), 1u) << ink;
  }
}

// The darkest cells of each matrix are its diagonal, where the cosine is 1.
TEST(Charts, DrawTheDiagonalOfAMatrix) {
  const std::string page = page_of({"positions"});
  const std::string begin = "aria-label=\"Cosines of all learned positions\"";
  const std::string map = page.substr(page.find(begin), page.find("</svg>", page.find(begin)) - page.find(begin));
  const size_t path = map.rfind("<path class=\"blue\"");
  EXPECT_EQ(map.find("fill-opacity", path), std::string::npos);
  EXPECT_EQ(count_of("M", map.substr(path)), 128u);
}

}  // namespace
}  // namespace bert::test
