// Tests options that many commands have. A command's help shows its own options and the four that most commands need.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

bool has(const std::string& help, const std::string& option) {
  return help.find("\n  " + option + " ") != std::string::npos ||
         help.find("\n  " + option + "\n") != std::string::npos;
}

TEST(CommonOptions, AreInHelpAllAndNotInHelp) {
  for (const char* command : {"encode", "embed", "similarity", "classify", "tag"}) {
    const std::string help = run_program({command, "--help"}).out, all = run_program({command, "--help-all"}).out;
    for (const char* option : {"--threads", "--jsonl", "--max-length", "--batch-tokens", "--check-tensors"}) {
      EXPECT_FALSE(has(help, option)) << command << " " << option;
      EXPECT_TRUE(has(all, option)) << command << " " << option;
    }
    for (const char* option : {"--model DIR", "--input FILE", "--field NAME", "--output FILE", "--format"}) {
      EXPECT_TRUE(has(help, option)) << command << " " << option;
      EXPECT_TRUE(has(all, option)) << command << " " << option;
    }
    EXPECT_NE(help.find("bert-infer " + std::string(command) + " --help-all\n"), std::string::npos) << command;
    EXPECT_EQ(all.find("--help-all"), std::string::npos) << command;
    EXPECT_LT(help.size(), all.size());
  }
  EXPECT_TRUE(has(run_program({"embed", "--help"}).out, "--pooling")) << "a command's own options are in its help";
  EXPECT_TRUE(has(run_program({"search", "--help"}).out, "--queries FILE"));
}

}  // namespace
}  // namespace bert::test
