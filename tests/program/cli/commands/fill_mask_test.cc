// Tests the command fill-mask.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

TEST(FillMask, GivesTheBuiltInModelsWordsBestFirst) {
  const ProgramResult result = run_program({"fill-mask", "--format", "json", "the [MASK] is in the [MASK]"});
  EXPECT_EQ(result.status, 0);
  const nlohmann::json object = result.json();
  EXPECT_EQ(object["truncated_tokens"], 0);
  ASSERT_EQ(object["masks"].size(), 2u);
  for (const nlohmann::json& mask : object["masks"]) {
    ASSERT_EQ(mask.size(), 5u);
    for (size_t i = 1; i < 5; ++i) EXPECT_GE(mask[i - 1]["score"], mask[i]["score"]);
  }
  EXPECT_NE(object["masks"][0][0]["sequence"].get<std::string>().find("[MASK]"), std::string::npos);
}

// docs/OUTPUT.md says that an input of ids is never truncated.
TEST(FillMask, CutsNothingOfIds) {
  const ProgramResult result = run_program({"fill-mask", "--input", "-", "--jsonl", "--format", "jsonl"},
                                           {.standard_input = "{\"ids\": [2, 38, 4, 3]}\n"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.json_lines().at(0)["truncated_tokens"], 0);
  EXPECT_EQ(result.json_lines().at(0)["masks"].size(), 1u);
}

TEST(FillMask, RefusesATextWithoutAMaskAndAnUnknownTarget) {
  const ProgramResult result = run_program({"fill-mask", "a dog"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "\n");
  EXPECT_EQ(result.err, "bert-infer: error: text 1: no mask, expected '[MASK]' in the text\n");
  EXPECT_EQ(run_program({"fill-mask", "--max-length", "4", "--format", "json", "a dog and a [MASK]"}).json()["error"],
            "1 of 1 masks ('[MASK]') are among the 3 tokens that were cut off, expected a shorter text");
  EXPECT_EQ(run_program({"fill-mask", "--max-length", "4", "--format", "json", "a [MASK] and a dog"}).status, 0);
  EXPECT_EQ(run_program({"fill-mask", "--max-length", "4", "--long-text", "error", "a [MASK] and a dog"}).status, 1);
  EXPECT_EQ(run_program({"fill-mask", "--target", "notaword12345", "a [MASK]"}).status, 1);
}

}  // namespace
}  // namespace bert::test
