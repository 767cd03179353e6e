// The lines of the command search.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

TEST(Corpus, GivesTheTextAsItIsWritten) {
  const TemporaryDirectory folder;
  const std::string corpus = write_file(folder, "lines.txt", "\r\n  \t\n Dogs  run. \r\nlast");
  const nlohmann::json result =
      run_program({"search", "--corpus", corpus, "--format", "json", "dogs"}).json()["results"];
  ASSERT_EQ(result.size(), 2u);
  EXPECT_EQ(result[0]["text"], " Dogs  run. ");
  EXPECT_EQ(result[0]["index"], 2);
  EXPECT_EQ(result[1]["text"], "last");
}

TEST(Corpus, IsNamedWhenItIsNotThere) {
  const ProgramResult result = run_program({"search", "--corpus", "no-such-file", "dogs"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "bert-infer: error: cannot open 'no-such-file': No such file or directory\n");
}

}  // namespace
}  // namespace bert::test
