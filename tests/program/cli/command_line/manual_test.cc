// The manual page has what the help has, and man's own formatter finds nothing wrong with it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/program/cli/program.h"
#include "tests/support/temporary_directory.h"

namespace bert::test {
namespace {

std::string page() {
  const ProgramResult result = run_program({"--manual"});
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}

TEST(Manual, HasEverySection) {
  const std::string text = page();
  for (const char* section : {"NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "ENVIRONMENT", "EXIT STATUS"}) {
    EXPECT_NE(text.find("\n.SH " + std::string(section) + "\n"), std::string::npos) << section;
  }
}

TEST(Manual, HasEveryCommandWithEveryLineOfItsHelp) {
  const std::string text = page();
  size_t options = 0;
  for (const std::string& command : command_names()) {
    const size_t begin = text.find("\n.SS " + command + "\n");
    ASSERT_NE(begin, std::string::npos) << command;
    const std::string part = text.substr(begin, text.find("\n.S", begin + 1) - begin);
    for (const std::string& help : lines_of(run_program({command, "--help-all"}).out)) {
      if (!help.starts_with("  --")) continue;
      std::string name = help.substr(2, help.find_first_of(" ,", 2) - 2);
      for (size_t at = 0; (at = name.find('-', at)) != std::string::npos; at += 2) name.insert(at, 1, '\\');
      EXPECT_NE(part.find("\\fB" + name + "\\fR"), std::string::npos) << command << " " << name;
      ++options;
    }
    EXPECT_NE(part.find("bert\\-infer"), std::string::npos) << "examples of " << command;
  }
  EXPECT_GT(options, 40u);
}

TEST(Manual, HasNoLineThatIsARequestByAccident) {
  for (const std::string& line : lines_of(page())) {
    if (!line.starts_with(".")) continue;
    const std::string request = line.substr(0, line.find(' '));
    EXPECT_TRUE(request == ".TH" || request == ".SH" || request == ".SS" || request == ".TP" || request == ".PP" ||
                request == ".nf" || request == ".fi" || request == ".br" || request == ".\\\"")
        << line;
  }
}

TEST(Manual, IsWellFormed) {
  if (std::system("command -v mandoc >/dev/null") != 0) GTEST_SKIP() << "SKIPPED, no mandoc";
  const TemporaryDirectory folder;
  const std::string path = write_file(folder, "bert-infer.1", page());
  // A date would make each build another; lines may be long.
  EXPECT_EQ(
      std::system(("! mandoc -T lint " + path + " | grep -v -e 'missing date' -e 'longer than 80 bytes'").c_str()), 0);
}

}  // namespace
}  // namespace bert::test
