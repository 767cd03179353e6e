// Tests the shells' completions. Asks bash, zsh and fish themselves what they would offer, if they are installed.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/program/cli/program.h"
#include "tests/support/temporary_directory.h"

namespace bert::test {
namespace {

using Words = std::set<std::string>;

#define SHELL_OR_SKIP(shell) \
  if (std::system("command -v " shell " >/dev/null") != 0) GTEST_SKIP() << "SKIPPED, no " shell

// Returns what a shell prints when it runs the script, one word for each line.
Words words_of(const std::string& shell, const std::string& script) {
  const TemporaryDirectory folder;
  const std::string path = write_file(folder, "script", script);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((shell + " " + path + " 2>&1").c_str(), "r"), pclose);
  Words words;
  std::string text;
  for (int c; (c = std::fgetc(pipe.get())) != EOF;) text += static_cast<char>(c);
  for (const std::string& line : lines_of(text)) {
    if (!line.empty()) words.insert(line.substr(0, line.find('\t')));
  }
  return words;
}

const std::string& script_of(const std::string& shell) {
  static std::map<std::string, std::string> scripts;
  std::string& script = scripts[shell];
  if (script.empty()) {
    const ProgramResult result = run_program({"--completion", shell});
    EXPECT_EQ(result.status, 0) << result.err;
    script = result.out;
  }
  return script;
}

// Returns the options of a command that its help lists, and those of the program itself.
Words options_of(const std::string& command) {
  Words options = {"--help", "-h", "--help-all", "--version", "--licenses", "--manual", "--completion"};
  for (const std::string& line : lines_of(run_program({command, "--help-all"}).out)) {
    for (size_t at = line.find("  --") == 0 ? 2 : std::string::npos; at != std::string::npos;) {
      const size_t end = line.find_first_of(" ,", at);
      options.insert(line.substr(at, end - at));
      at = end != std::string::npos && line[end] == ',' ? line.find("--", end) : std::string::npos;
    }
  }
  return options;
}

// Returns what bash would offer for a command line of these words, the last of which is being typed.
Words bash_offers(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += " '" + word + "'";
  return words_of("bash", script_of("bash") + "COMP_WORDS=(bert-infer" + line +
                              ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\ncompopt() { :; }\n_bert_infer\n" +
                              "printf '%s\\n' \"${COMPREPLY[@]}\"\n");
}

TEST(BashCompletion, OffersCommandsFirst) {
  SHELL_OR_SKIP("bash");
  const std::vector<std::string> names = command_names();
  ASSERT_GE(names.size(), 5u);
  EXPECT_EQ(bash_offers({""}), Words(names.begin(), names.end()));
  EXPECT_EQ(bash_offers({"emb"}), Words{"embed"});
  EXPECT_EQ(bash_offers({"embed", "emb"}), Words{});
}

TEST(BashCompletion, OffersEveryOptionOfACommand) {
  SHELL_OR_SKIP("bash");
  for (const std::string& command : command_names()) {
    EXPECT_EQ(bash_offers({command, "-"}), options_of(command)) << command;
  }
  EXPECT_EQ(bash_offers({"-"}), options_of("encode"));
  EXPECT_EQ(bash_offers({"embed", "a text", "--pool"}), Words{"--pooling"});
}

TEST(BashCompletion, OffersTheValuesOfTheOptionBefore) {
  SHELL_OR_SKIP("bash");
  EXPECT_EQ(bash_offers({"embed", "--format", ""}),
            (Words{"text", "json", "jsonl", "csv", "npy", "npz", "safetensors"}));
  EXPECT_EQ(bash_offers({"tokenize", "--format", ""}), (Words{"text", "json", "jsonl", "ids"}));
  EXPECT_EQ(bash_offers({"embed", "--format", "=", "js"}), (Words{"json", "jsonl"}));
  EXPECT_EQ(bash_offers({"embed", "--gemm", "="}), (Words{"auto", "native", "portable", "openblas"}));
  EXPECT_EQ(bash_offers({"embed", "--threads", ""}), Words{});
  EXPECT_EQ(bash_offers({"--completion", ""}), (Words{"bash", "zsh", "fish", "powershell"}));
}

TEST(BashCompletion, OffersFilesAndFolders) {
  SHELL_OR_SKIP("bash");
  const TemporaryDirectory folder;
  folder.write("a file", "");
  std::filesystem::create_directory(folder.path() / "a folder");
  const std::string begun = (folder.path() / "a").string();
  EXPECT_EQ(bash_offers({"embed", "--input", begun}), (Words{begun + " file", begun + " folder"}));
  EXPECT_EQ(bash_offers({"embed", "--model", begun}), Words{begun + " folder"});
}

TEST(BashCompletion, OffersNothingOfItsOwnBehindTwoDashes) {
  SHELL_OR_SKIP("bash");
  EXPECT_EQ(bash_offers({"embed", "--", "--f"}), Words{});
}

TEST(FishCompletion, OffersCommandsOptionsAndValues) {
  SHELL_OR_SKIP("fish");
  const auto offers = [](const std::string& line) {
    return words_of("fish --no-config", script_of("fish") + "complete -C 'bert-infer " + line + "'\n");
  };
  EXPECT_EQ(offers("embe"), Words{"embed"});
  for (const std::string& command : command_names()) {
    Words long_options = options_of(command);
    long_options.erase("-h");
    EXPECT_EQ(offers(command + " --"), long_options) << command;
  }
  EXPECT_EQ(offers("embed --format "), (Words{"text", "json", "jsonl", "csv", "npy", "npz", "safetensors"}));
  EXPECT_EQ(offers("tokenize --format "), (Words{"text", "json", "jsonl", "ids"}));
}

TEST(ZshCompletion, IsRegisteredBySource) {
  SHELL_OR_SKIP("zsh");
  const TemporaryDirectory folder;
  const std::string script = write_file(folder, "completion", script_of("zsh"));
  const std::string home = "HOME=" + folder.path().string() + "\n";
  EXPECT_EQ(words_of("zsh -f", home + "source " + script + "\nprint $_comps[bert-infer]\n"), Words{"_bert-infer"});
  EXPECT_EQ(words_of("zsh -f",
                     home + "autoload -Uz compinit\ncompinit -u\nsource " + script + "\nprint $_comps[bert-infer]\n"),
            Words{"_bert-infer"});
}

// Tests the arguments that the script passes to zsh's own _arguments. The test replaces that function.
TEST(ZshCompletion, GivesEachCommandItsOptions) {
  SHELL_OR_SKIP("zsh");
  const auto offers = [](const std::string& words) {
    return words_of("zsh -f",
                    "_arguments() { print -rl -- $@; }\n_describe() { print -rl -- ${(P)2}; }\n_files() { }\n"
                    "compdef() { }\nwords=(" +
                        words + " '')\nCURRENT=$#words\n" + script_of("zsh") + "_bert-infer\n_bert-infer_words\n");
  };
  for (const std::string& command : command_names()) {
    Words names;
    for (const std::string& line : offers("bert-infer " + command)) {
      const size_t begin = line.find('-');
      if (line != "-S" && begin <= 1) names.insert(line.substr(begin, line.find_first_of("=[", begin) - begin));
    }
    EXPECT_EQ(names, options_of(command)) << command;
  }
  const Words at_start = offers("bert-infer");
  EXPECT_EQ(at_start.count("embed:one vector a text"), 1u);
  const std::string format = "--format=[the form of the output (default\\: what --output's name ends with, else text)]";
  EXPECT_EQ(at_start.count(format + ":value:(text json jsonl npz)"), 1u);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// Tests the tables that the script reads: a line for each command, and one for each option.
TEST(PowerShellCompletion, HasTheOptionsOfEachCommand) {
  std::map<std::string, Words> options;
  Words commands;
  for (const std::string& line : lines_of(script_of("powershell"))) {
    const std::vector<std::string> columns = split(line, '\t');
    if (columns.size() == 2) commands.insert(columns[0]);
    if (columns.size() != 4) continue;
    for (const std::string& name : split(columns[1], ' ')) options[columns[0]].insert(name);
    EXPECT_FALSE(columns[3].empty()) << line;  // PowerShell refuses an empty description.
  }
  const std::vector<std::string> names = command_names();
  EXPECT_EQ(commands, Words(names.begin(), names.end()));
  for (const std::string& name : names) {
    options[name].insert(options["*"].begin(), options["*"].end());
    EXPECT_EQ(options[name], options_of(name)) << name;
  }
  const std::string format = "\ntokenize\t--format\ttext json jsonl ids\t";
  EXPECT_NE(script_of("powershell").find(format), std::string::npos);
  EXPECT_NE(script_of("powershell").find("\nembed\t--threads\t-\t"), std::string::npos);
}

TEST(Completion, RefusesAShellThatItDoesNotKnow) {
  const ProgramResult result = run_program({"--completion", "tcsh"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("'tcsh': expected one of bash, zsh, fish, powershell"), std::string::npos) << result.err;
  EXPECT_EQ(run_program({"--completion"}).status, 2);
}

}  // namespace
}  // namespace bert::test
