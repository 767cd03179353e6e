// What a person who asks is told, for every command in the table.
#include <gtest/gtest.h>

#include "tests/tools/cli/program.h"

namespace bert::test {
namespace {

TEST(Help, ListsTheCommands) {
  const ProgramResult result = run_program({"--help"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  for (const char* command :
       {"encode", "embed", "tokenize", "similarity", "explain", "attention", "positions", "segments", "order", "probe",
        "fill-mask", "classify", "tag", "answer", "rerank", "next-sentence", "choose", "inspect"}) {
    EXPECT_NE(result.out.find("\n  " + std::string(command) + " "), std::string::npos) << command;
  }
  EXPECT_EQ(run_program({"-h"}).out, result.out);
}

TEST(Help, OfACommandHasItsOptionsAndExamples) {
  for (const char* command :
       {"encode", "embed", "tokenize", "similarity", "explain", "attention", "positions", "segments", "order", "probe",
        "fill-mask", "classify", "tag", "answer", "rerank", "next-sentence", "choose", "inspect"}) {
    const ProgramResult result = run_program({command, "--help"});
    EXPECT_EQ(result.status, 0);
    EXPECT_NE(result.out.find("--model DIR"), std::string::npos) << command;
    EXPECT_NE(result.out.find("Examples:\n  bert-infer"), std::string::npos) << command;
  }
}

TEST(Help, FitsATerminalOf100Columns) {
  for (const std::string& line : lines_of(run_program({"encode", "--help"}).out)) EXPECT_LE(line.size(), 100u) << line;
}

TEST(Help, FailsWhereItCannotBeWritten) { EXPECT_EQ(run_program({"--help"}, {.output_file = "/dev/full"}).status, 1); }

}  // namespace
}  // namespace bert::test
