// Counts what is drawn of distances; tests/tools/pages_test.py checks the layout.
#include <gtest/gtest.h>

#include "tests/support/test_data.h"
#include "tests/tools/cli/program.h"

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

// A line and a map for global layers and for local ones.
TEST(DistanceDrawings, HaveALineAndAMapForEachRotation) {
  const TemporaryDirectory model;
  model.write("config.json", R"({"model_type": "modernbert"})");
  const std::string page = positions_page(model.path().string());
  EXPECT_EQ(count_in(page, "<path class=\"pen blue\""), 1u);
  EXPECT_EQ(count_in(page, "<path class=\"pen orange\""), 1u);
  for (const char* layers : {"global", "local"}) {
    EXPECT_EQ(count_in(page, std::string("aria-label=\"Cosine of each pair's turn by distance, ") + layers), 1u);
  }
}

TEST(DistanceDrawings, HaveARowForEachHead) {
  BERT_TEST_DATA_OR_SKIP(model, "family_modern/deberta-v2");
  const std::string page = positions_page(model.string());
  for (const char* row : {">1, 1</text>", ">2, 2</text>", ">3, 3</text>"}) {
    EXPECT_EQ(count_in(page, row), 2u) << row;  // of `bias` and of `spread`
  }
}

}  // namespace
}  // namespace bert::test
