// What a mistyped command was probably meant to be.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

// The command that the program suggests for a word; "" for none.
std::string suggested_for(const std::string& word) {
  const std::string note = run_program({word, "--output", "/dev/null"}).err;
  const std::string before = "did you mean the command ";
  const size_t at = note.find(before);
  return at == std::string::npos ? "" : note.substr(at + before.size(), note.find('?') - at - before.size());
}

TEST(Suggestion, IsTheCommandWithTheFewestEdits) {
  EXPECT_EQ(suggested_for("embedd"), "embed");       // a letter more
  EXPECT_EQ(suggested_for("embd"), "embed");         // less
  EXPECT_EQ(suggested_for("tokenise"), "tokenize");  // another
  EXPECT_EQ(suggested_for("ebmed"), "embed");        // two neighbours swapped: one edit
  EXPECT_EQ(suggested_for("tkoenise"), "tokenize");  // two edits of a long word
  EXPECT_EQ(suggested_for("mbd"), "");               // two of a short one
  EXPECT_EQ(suggested_for("to"), "");
  EXPECT_EQ(suggested_for("dogs"), "");
  EXPECT_EQ(suggested_for(""), "");
  EXPECT_EQ(suggested_for(std::string(100'000, 'e')), "");  // at once
}

}  // namespace
}  // namespace bert::test
