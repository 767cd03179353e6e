// Tests words that people try as commands, and words before the name of a file.
#include "program/cli/command_line/other_names.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/program/cli/program.h"
#include "tests/support/temporary_directory.h"

namespace bert::test {
namespace {

TEST(OtherNames, SayWhatToWrite) {
  EXPECT_EQ(cli::instead_of("ner"), "use tag");
  EXPECT_EQ(cli::instead_of("hello"), "");
  EXPECT_EQ(cli::instead_of(""), "");
}

TEST(OtherNames, AreErrorsAndNoTexts) {
  const auto refused = [](const std::vector<std::string>& words, const std::string& message) {
    const ProgramResult result = run_program(words);
    EXPECT_EQ(result.status, 2) << words[0];
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
  };
  refused({"models"}, "there is no command 'models': --model DIR loads a model");
  refused({"download", "bert-base-uncased"}, "there is no command 'download': use fetch");
  refused({"translate", "x"}, "(a text goes after --)");
  refused({"search", "--vectors", "int8"}, "the command search has no option --vectors: use --scan");
  refused({"serve", "--weights", "stored"}, "the command serve has no option --weights: use --packing");
}

TEST(OtherNames, AreTextsAfterDashesAndWithinTexts) {
  EXPECT_EQ(run_program({"--", "models"}).status, 0);
  EXPECT_EQ(run_program({"embed", "--format", "json", "models"}).status, 0);
  EXPECT_EQ(run_program({"hello"}).status, 0);
  EXPECT_EQ(run_program({"hello", "world"}).status, 0);
}

TEST(OtherNames, ABareWordBeforeAFileIsNoText) {
  const TemporaryDirectory folder;
  const std::string file = write_file(folder, "c.csv", "text\na\n");
  const ProgramResult result = run_program({"unite", file});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err, "bert-infer: error: there is no command 'unite', and '" + file +
                            "' is a file, which --input reads (texts go after --)\n");
  EXPECT_EQ(run_program({"--", "unite", file}).status, 0);
  EXPECT_EQ(run_program({"two words", file}).status, 0);
}

// Returns the command that the program suggests for a word, or "".
std::string suggested_for(const std::string& word) {
  const std::string note = run_program({word, "--output", "/dev/null"}).err;
  const std::string before = "did you mean the command ";
  const size_t at = note.find(before);
  return at == std::string::npos ? "" : note.substr(at + before.size(), note.find('?') - at - before.size());
}

TEST(Suggestion, IsTheCommandWithTheFewestEdits) {
  EXPECT_EQ(suggested_for("embedd"), "embed");       // a letter is added
  EXPECT_EQ(suggested_for("embd"), "embed");         // a letter is missing
  EXPECT_EQ(suggested_for("tokenise"), "tokenize");  // a letter is changed
  EXPECT_EQ(suggested_for("ebmed"), "embed");        // a swap of neighbours is one edit
  EXPECT_EQ(suggested_for("tkoenise"), "tokenize");  // a long word may have two edits
  EXPECT_EQ(suggested_for("mbd"), "");               // a short word may not
  EXPECT_EQ(suggested_for("to"), "");
  EXPECT_EQ(suggested_for("dogs"), "");
  EXPECT_EQ(suggested_for(""), "");
  EXPECT_EQ(suggested_for(std::string(100'000, 'e')), "");  // takes no time
}

}  // namespace

}  // namespace bert::test
