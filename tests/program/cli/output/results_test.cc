// Tests features of all commands' results.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

TEST(Results, AreAnObjectAloneAndAnArrayTogether) {
  for (const char* command : {"encode", "embed", "tokenize"}) {
    EXPECT_TRUE(run_program({command, "--format", "json", "a"}).json().is_object()) << command;
    EXPECT_TRUE(run_program({command, "--format", "json", "a", "b"}).json().is_array()) << command;
    EXPECT_TRUE(run_program({command, "--format", "json", "--input", "/dev/null"}).json().is_array()) << command;
  }
}

TEST(Results, KeepStandardErrorFreeOfData) {
  const ProgramResult result = run_program({"--format", "json", "a dog"});
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(lines_of(result.out).size(), 1u);
}

TEST(Results, EscapeWhatJsonWants) {
  const std::string id = "\"\\\n\u0001é";
  const nlohmann::json line = {{"id", id}, {"text", "a"}};
  const ProgramResult result =
      run_program({"tokenize", "--format", "jsonl", "--input", "-", "--jsonl"}, {.standard_input = line.dump() + "\n"});
  EXPECT_EQ(result.json_lines().at(0)["id"], id);
}

}  // namespace
}  // namespace bert::test
