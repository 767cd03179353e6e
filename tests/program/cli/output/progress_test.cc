// Checks that the progress bar appears only on a terminal, after half a second.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/sanitizers.h"

namespace bert::test {
namespace {

// This number of lines of the model's greatest length takes one thread more than half a second.
constexpr size_t kManyLines = BERT_SANITIZED ? 20 : 200;

std::string many_lines() {
  std::string lines;
  for (size_t i = 0; i < kManyLines; ++i) {
    for (int word = 0; word < 60; ++word) lines += "a brown dog ";
    lines += '\n';
  }
  return lines;
}

TEST(Progress, IsShownOnATerminal) {
  const TemporaryDirectory folder;
  const std::string path = write_file(folder, "lines", many_lines());
  const ProgramResult result =
      run_program({"embed", "--input", path, "--batch-tokens", "1", "--threads", "1"}, {.terminal = true});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("% ["), std::string::npos) << result.err.substr(0, 400);
  EXPECT_NE(result.err.find("/s, "), std::string::npos);
  EXPECT_NE(result.err.find(" left"), std::string::npos);
  EXPECT_EQ(lines_of(result.out).size(), kManyLines);
}

TEST(Progress, IsNotShownInAPipe) {
  const ProgramResult result =
      run_program({"embed", "--input", "-", "--batch-tokens", "1"}, {.standard_input = many_lines()});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err.find('\r'), std::string::npos);
  EXPECT_EQ(result.err.find("/s"), std::string::npos);
}

}  // namespace
}  // namespace bert::test
