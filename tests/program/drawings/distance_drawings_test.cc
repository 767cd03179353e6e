// Counts the elements of drawings of distances. tests/program/pages_test.py checks the layout.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

size_t count_in(const std::string& page, const std::string& what) {
  size_t count = 0;
  for (size_t at = page.find(what); at != std::string::npos; at = page.find(what, at + 1)) ++count;
  return count;
}

std::string positions_page(const std::string& model) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "page.html").string();
  EXPECT_EQ(run_program({"positions", "--model", model, "--html", path}).status, 0);
  return read_file(path);
}

// The page has a line and a map for the global layers, and a line and a map for the local ones, each in two forms.
TEST(DistanceDrawings, HaveALineAndAMapForEachRotation) {
  const TemporaryDirectory model;
  model.write("config.json", R"({"model_type": "modernbert"})");
  const std::string page = positions_page(model.path().string());
  // The class occurs for the line in both forms, and in the legend of the narrow form.
  EXPECT_EQ(count_in(page, "<path class=\"pen blue\""), 3u);
  EXPECT_EQ(count_in(page, "<path class=\"pen orange\""), 3u);
  for (const char* layers : {"global", "local"}) {
    EXPECT_EQ(count_in(page, std::string("aria-label=\"Cosine of each pair's turn by distance, ") + layers), 2u);
  }
}

// The page has both drawings in two forms. Of the 80 pairs of components it shows four waves, from the faster half.
TEST(DistanceDrawings, ShowSinusoidsAsAMapAndAsWaves) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "page.html").string();
  ASSERT_EQ(run_program({"positions", "--positions", "sinusoidal", "--html", path}).status, 0);
  const std::string page = read_file(path);
  EXPECT_EQ(count_in(page, "aria-label=\"Sines of each pair of components, by place\""), 2u);
  EXPECT_EQ(count_in(page, "aria-label=\"Sines of four pairs of components, by place\""), 2u);
  for (const char* pair : {">pair 0</text>", ">pair 10</text>", ">pair 20</text>", ">pair 30</text>"}) {
    EXPECT_EQ(count_in(page, pair), 2u) << pair;
  }
}

TEST(DistanceDrawings, HaveARowForEachHead) {
  BERT_TEST_DATA_OR_SKIP(model, "family_modern/deberta-v2");
  const std::string page = positions_page(model.string());
  for (const char* row : {">1, 1</text>", ">2, 2</text>", ">3, 3</text>"}) {
    EXPECT_EQ(count_in(page, row), 4u) << row;  // one for `bias` and one for `spread`, in both forms
  }
}

}  // namespace
}  // namespace bert::test
