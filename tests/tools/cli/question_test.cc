// What the commands that look inside a model have in common.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/test_data.h"
#include "tests/tools/cli/program.h"

namespace bert::test {
namespace {

TEST(Question, SaysWhatWasCut) {
  const ProgramResult result = run_program({"explain", "--max-length", "4", "a dog and a cat"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "bert-infer: note: the text was too long and cut; 3 tokens were left out\n");
}

TEST(Question, RefusesATextThatAPageCannotShow) {
  const TemporaryDirectory folder;
  std::string text;
  for (int i = 0; i < 70; ++i) text += "dog ";
  const std::string page = (folder.path() / "page.html").string();
  const ProgramResult result = run_program({"attention", "--html", page, text});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("--html draws 64 tokens at most, the text has 72"), std::string::npos) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_FALSE(std::filesystem::exists(page));
  EXPECT_EQ(run_program({"attention", text}).status, 0);
}

TEST(Question, FailsOnATextThatIsNoText) {
  const ProgramResult result = run_program({"explain", "a \xff"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("UTF-8"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace bert::test
