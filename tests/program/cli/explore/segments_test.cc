// Tests the command segments.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

TEST(Segments, HasTheEffectOfEachChange) {
  const ProgramResult result = run_program({"segments", "--format", "json", "a dog", "a cat"});
  ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json object = result.json();
  EXPECT_EQ(object["type_ids"], nlohmann::json({0, 0, 0, 0, 1, 1, 1}));
  for (const char* name : {"swapped", "all_a", "all_b"}) {
    EXPECT_EQ(object[name]["moved"].size(), 7u);
    EXPECT_EQ(object[name]["moved_by_layer"].size(), 13u);
  }
}

TEST(Segments, NamesTheTextOfAnUnknownToken) {
  const TemporaryDirectory folder;
  const std::string page = (folder.path() / "page.html").string();
  const ProgramResult result = run_program({"segments", "--html", page, "a 東", "the 京"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("2  [UNK] 東  A "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("5  [UNK] 京  B "), std::string::npos) << result.out;
  EXPECT_NE(read_file(page).find(">[UNK] 東 A</text>"), std::string::npos);
  EXPECT_NE(read_file(page).find(">[UNK] 京 B</text>"), std::string::npos);
  EXPECT_EQ(run_program({"segments", "--format", "json", "a 東", "the 京"}).json()["tokens"][2], "[UNK]");
}

TEST(Segments, TakesTwoTexts) {
  EXPECT_EQ(run_program({"segments", "a"}).status, 2);
  EXPECT_EQ(run_program({"segments", "a", "b", "c"}).status, 2);
  EXPECT_EQ(run_program({"segments", "a dog", "a cat"}).status, 0);
}

}  // namespace
}  // namespace bert::test
