// Tests standard error: each message is one line, and only a terminal gets colours.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

TEST(Console, HasColorsOnATerminalOnly) {
  const std::vector<std::string> wrong = {"--nonsense"};
  EXPECT_EQ(run_program(wrong).err.find('\x1b'), std::string::npos);
  EXPECT_NE(run_program(wrong, {.environment = {{"TERM", "xterm"}}, .terminal = true}).err.find("\x1b["),
            std::string::npos);
}

TEST(Console, HasNoColorsWhereNobodyWantsThem) {
  const ProgramResult result =
      run_program({"--nonsense"}, {.environment = {{"TERM", "xterm"}, {"NO_COLOR", "1"}}, .terminal = true});
  EXPECT_EQ(result.err.find('\x1b'), std::string::npos);
  EXPECT_NE(result.err.find("bert-infer: error: "), std::string::npos);
}

TEST(Console, KeepsAMessageOnOneLine) {
  const ProgramResult result = run_program({"--model", "no\nsuch\x1b[31m", "a"});
  EXPECT_EQ(lines_of(result.err).size(), 1u) << result.err;
  EXPECT_EQ(result.err.find('\x1b'), std::string::npos);
}

// A text whose direction is overridden would be read as another one.
TEST(Console, EscapesControlsOfDirection) {
  const ProgramResult result = run_program({"--model",
                                            "a\xE2\x80\xAE"
                                            "b",
                                            "x"});
  EXPECT_NE(result.err.find("a\\xe2\\x80\\xaeb"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace bert::test
