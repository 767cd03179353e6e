// The table that a person sees.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

TEST(EncodeText, IsATableOfTokensAndThePooledOutput) {
  const ProgramResult result = run_program({"a brown dog"});
  EXPECT_EQ(result.status, 0);
  const std::vector<std::string> lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 9u) << result.out;
  for (const char* title : {"token", "id", "segment", "norm", "first of"}) {
    EXPECT_NE(lines[0].find(title), std::string::npos) << lines[0];
  }
  EXPECT_NE(lines[1].find("[CLS]"), std::string::npos);
  EXPECT_NE(lines[3].find("brown"), std::string::npos);
  EXPECT_EQ(lines[6], "");
  EXPECT_TRUE(lines[7].starts_with("pooled output: norm ")) << lines[7];
}

TEST(EncodeText, TitlesSeveralResults) {
  const ProgramResult words = run_program({"a", "b"});
  EXPECT_TRUE(words.out.starts_with("text 1\n")) << words.out;
  EXPECT_NE(words.out.find("\n\ntext 2\n"), std::string::npos) << words.out;
  const ProgramResult lines =
      run_program({"--input", "-", "--jsonl"}, {.standard_input = "{\"id\": \"x\", \"text\": \"a\"}"});
  EXPECT_TRUE(lines.out.starts_with("line 1, id \"x\"\n")) << lines.out;
}

TEST(EncodeText, HasALineForEveryLayerAndHead) {
  const ProgramResult result = run_program({"--layers", "--attentions", "a brown dog"});
  EXPECT_NE(result.out.find("hidden states (layer 0: the embeddings)"), std::string::npos);
  EXPECT_NE(result.out.find("2.32: uniform"), std::string::npos) << "log2(5)";
}

TEST(EncodeText, HasNoColorsInAPipe) { EXPECT_EQ(run_program({"a"}).out.find('\x1b'), std::string::npos); }

}  // namespace
}  // namespace bert::test
