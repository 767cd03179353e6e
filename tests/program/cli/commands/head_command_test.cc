// Tests features of all commands that use a head.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

TEST(HeadCommand, RefusesAModelWithoutTheHeadWithWhatItHas) {
  for (const char* command : {"classify", "tag", "answer"}) {
    std::vector<std::string> arguments = {command, "a"};
    if (arguments[0] == "answer") arguments.insert(arguments.end(), {"--context", "a b"});
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 1) << command;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("it has those for masked LM, next sentence; "), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(" have one: bert-infer fetch NAME, then --model NAME"), std::string::npos) << result.err;
  }
}

TEST(HeadCommand, PutsEachResultUnderATitleWhereThereAreSeveral) {
  const ProgramResult one = run_program({"fill-mask", "a [MASK]"});
  EXPECT_EQ(one.out.find("text 1"), std::string::npos);
  const ProgramResult two = run_program({"fill-mask", "a [MASK]", "the [MASK]"});
  EXPECT_EQ(two.out.find("text 1\n"), 0u);
  EXPECT_NE(two.out.find("\n\ntext 2\n"), std::string::npos);
}

TEST(HeadCommand, GivesTheSameBitsAloneAndInBatches) {
  std::string lines;
  for (int i = 0; i < 40; ++i) lines += std::string(static_cast<size_t>(i % 7), 'a') + " [MASK] dog\n";
  const ProgramInput input{.standard_input = lines};
  const ProgramResult batched = run_program({"fill-mask", "--input", "-", "--format", "jsonl"}, input);
  const ProgramResult alone =
      run_program({"fill-mask", "--input", "-", "--format", "jsonl", "--batch-tokens", "1"}, input);
  EXPECT_EQ(batched.status, 0);
  EXPECT_EQ(batched.out, alone.out);
}

TEST(HeadCommand, CountsWhatWasCutAndSaysSo) {
  std::string text = "[MASK]";
  for (int i = 0; i < 300; ++i) text += " dog";
  const ProgramResult result = run_program({"fill-mask", "--format", "json", text});
  EXPECT_GT(result.json()["truncated_tokens"], 100);
  EXPECT_NE(result.err.find("too long and cut"), std::string::npos);
}

}  // namespace
}  // namespace bert::test
