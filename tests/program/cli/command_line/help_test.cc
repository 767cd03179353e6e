// Tests the help of every command in the table.
#include "program/cli/command_line/help.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "tests/program/cli/program.h"
#include "tests/support/build_tree.h"
#include "tests/support/temporary_directory.h"

namespace bert::test {
namespace {

TEST(Help, ListsTheCommands) {
  const ProgramResult result = run_program({"--help-all"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  for (const char* command :
       {"encode",   "embed",  "tokenize",      "similarity", "explain",   "neighbors", "attention", "positions",
        "segments", "order",  "probe",         "report",     "fill-mask", "classify",  "zero-shot", "tag",
        "answer",   "rerank", "next-sentence", "choose",     "inspect",   "verify",    "quantize",  "distill",
        "compare",  "fit",    "search",        "dedup",      "cluster"}) {
    EXPECT_NE(result.out.find("\n  " + std::string(command) + " "), std::string::npos) << command;
  }
  EXPECT_EQ(run_program({"-h"}).out, run_program({"--help"}).out);
  EXPECT_LT(lines_of(run_program({"--help"}).out).size(), lines_of(result.out).size());
  EXPECT_NE(run_program({"--help"}).out.find("\n  explain, neighbors, "), std::string::npos) << "the names alone";
}

TEST(Help, ListsTheCommandsByGroup) {
  const std::string help = run_program({"--help-all"}).out;
  size_t at = 0;
  for (const char* line : {"\n Compute\n  encode ", "\n Retrieve\n  ", "\n  dedup ", "\n Train and convert\n  ",
                           "\n  fit ", "\n Fetch and serve\n  fetch ", "\n Look into a model\n  explain "}) {
    const size_t found = help.find(line, at);
    ASSERT_NE(found, std::string::npos) << line;
    at = found;
  }
}

TEST(Help, OfACommandHasItsOptionsAndExamples) {
  for (const std::string& command : command_names()) {
    const ProgramResult result = run_program({command, "--help"});
    EXPECT_EQ(result.status, 0);
    const char* which = command == "fetch" ? "--revision NAME" : "--model DIR";
    EXPECT_NE(result.out.find(which), std::string::npos) << command;
    const size_t examples = result.out.find("\nExamples:\n  ");
    ASSERT_NE(examples, std::string::npos) << command;
    // A command line without a command's name means encode.
    const std::string example = command == "encode" ? "  bert-infer \"" : "  bert-infer " + command;
    EXPECT_NE(result.out.find(example, examples), std::string::npos) << command;
  }
}

// Runs the help in a terminal, which script(1) makes and stty gives a width.
TEST(Help, KeepsToTheTerminalsWidth) {
  const auto widest = [](size_t columns) {
    const std::string command = "script -qec 'stty cols " + std::to_string(columns) + "; " + program_path() +
                                " help embed' /dev/null </dev/null";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string text;
    for (int c; (c = std::fgetc(pipe.get())) != EOF;) text += c == '\r' ? "" : std::string(1, static_cast<char>(c));
    size_t most = 0;
    for (const std::string& line : lines_of(text)) {
      if (line.starts_with("          ")) most = std::max(most, line.size());  // in the second column
    }
    return most;
  };
  EXPECT_GT(widest(96), 80u);
  EXPECT_LE(widest(70), 70u);
  EXPECT_GT(widest(70), 50u);
}

TEST(Help, FitsATerminalOf100Columns) {
  for (const std::string& line : lines_of(run_program({"encode", "--help-all"}).out))
    EXPECT_LE(line.size(), 100u) << line;
}

// Returns the lines under a group's title, up to the next title.
std::string group_of(const std::string& command, const std::string& title) {
  const std::string help = run_program({command, "--help-all"}).out;
  const size_t begin = help.find("\n" + title + ":\n");
  if (begin == std::string::npos) return {};
  return help.substr(begin, help.find("\n\n", begin + 1) - begin);
}

TEST(Help, PutsEachOptionUnderItsTitle) {
  for (const char* command : {"encode", "embed", "similarity", "fill-mask", "classify", "tag", "answer", "rerank",
                              "next-sentence", "choose", "probe"}) {
    const std::string speed = group_of(command, "Speed");
    EXPECT_EQ(speed.find("\n  --"), speed.rfind("\n  --")) << command << " has more than --batch-tokens there" << speed;
    EXPECT_NE(speed.find("  --batch-tokens"), std::string::npos) << command;
  }
  EXPECT_NE(group_of("answer", "Answers").find("--no-answer"), std::string::npos);
  EXPECT_NE(group_of("answer", "Tokens").find("--stride"), std::string::npos);
  EXPECT_NE(group_of("tag", "Tokens").find("--stride"), std::string::npos);
  EXPECT_NE(group_of("tag", "Entities").find("--aggregation"), std::string::npos);
  EXPECT_NE(group_of("fill-mask", "Words").find("--target"), std::string::npos);
}

TEST(Help, OffersIdsOnlyWhereTheyAreTaken) {
  for (const char* command : {"tag", "answer", "rerank", "choose", "similarity", "zero-shot"}) {
    EXPECT_EQ(run_program({command, "--help-all"}).out.find("\"ids\""), std::string::npos) << command;
  }
  for (const char* command : {"encode", "embed", "tokenize", "fill-mask", "classify", "next-sentence"}) {
    EXPECT_NE(run_program({command, "--help-all"}).out.find("\"ids\""), std::string::npos) << command;
  }
}

TEST(Help, FailsWhereItCannotBeWritten) { EXPECT_EQ(run_program({"--help"}, {.output_file = "/dev/full"}).status, 1); }

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
  // The page has no date, so that builds are reproducible, and may have long lines. mandoc may complain of both.
  EXPECT_EQ(
      std::system(("! mandoc -T lint " + path + " | grep -v -e 'missing date' -e 'longer than 80 bytes'").c_str()), 0);
}

}  // namespace

}  // namespace bert::test
