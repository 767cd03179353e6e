// The command explain.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

TEST(Explain, HasThePartsOfEachTokenAndHowFarItMoves) {
  const ProgramResult result = run_program({"explain", "--format", "json", "The quick brown fox jumps"});
  ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json object = result.json();
  ASSERT_EQ(object["embedding"].size(), object["tokens"].size());
  for (const char* part : {"word", "position", "segment"}) {
    for (const char* number : {"share", "norm", "cosine"})
      EXPECT_TRUE(object["embedding"][0][part][number].is_number());
  }
  ASSERT_EQ(object["moved"].size(), 12u);
  EXPECT_EQ(object["moved"][0].size(), object["tokens"].size());
}

TEST(Explain, PrintsTablesWithALineForEachToken) {
  const ProgramResult result = run_program({"explain", "a dog"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  size_t dogs = 0;
  for (const std::string& line : lines_of(result.out))
    dogs += line.starts_with(" 2  dog") || line.starts_with("2  dog");
  EXPECT_EQ(dogs, 2u) << result.out;
  EXPECT_EQ(run_program({"explain", "--format", "jsonl", "a dog"}).json_lines().size(), 1u);
}

TEST(Explain, TakesOneTextAndItsPair) {
  EXPECT_EQ(run_program({"explain"}).status, 2);
  EXPECT_EQ(run_program({"explain", "a", "b"}).status, 2);
  const nlohmann::json pair = run_program({"explain", "--format", "json", "--pair", "a cat", "a dog"}).json();
  EXPECT_EQ(pair["type_ids"], nlohmann::json({0, 0, 0, 0, 1, 1, 1}));
}

}  // namespace
}  // namespace bert::test
