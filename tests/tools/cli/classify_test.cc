// The command classify.
#include <gtest/gtest.h>

#include "tests/support/test_data.h"
#include "tests/tools/cli/program.h"

namespace bert::test {
namespace {

TEST(Classify, GivesALineATextAndErrorsInTheirPlace) {
  BERT_TEST_DATA_OR_SKIP(folder, "checkpoint/bert-tiny-own-sst2");
  const std::string model = folder.string();
  const ProgramResult text = run_program({"classify", "--model", model, "a charming and affecting journey", "bleak"});
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(lines_of(text.out).size(), 2u);
  const ProgramResult result =
      run_program({"classify", "--model", model, "--input", "-", "--jsonl", "--format", "jsonl"},
                  {.standard_input = "{\"id\": 7, \"text\": \"a charming journey\"}\n"
                                     "{\"id\": 8}\n{\"text\": \"bleak and desperate\"}\n"});
  EXPECT_EQ(result.status, 1);
  const std::vector<nlohmann::json> lines = result.json_lines();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["id"], 7);
  EXPECT_NEAR(lines[0]["labels"][0]["score"].get<double>() + lines[0]["labels"][1]["score"].get<double>(), 1, 1e-12);
  EXPECT_EQ(lines[1]["id"], 8);
  EXPECT_TRUE(lines[1].contains("error"));
  EXPECT_NE(lines[0]["labels"][0]["label"], lines[2]["labels"][0]["label"]);
}

TEST(Classify, ShowsAsManyLabelsAsAsked) {
  BERT_TEST_DATA_OR_SKIP(folder, "checkpoint/bert-tiny-own-sst2");
  const ProgramResult result =
      run_program({"classify", "--model", folder.string(), "--top-k", "1", "--format", "json", "a"});
  EXPECT_EQ(result.json()["labels"].size(), 1u);
}

}  // namespace
}  // namespace bert::test
