// Tests vectors from a file that are used with the texts that they belong to.
#include <gtest/gtest.h>

#include <string>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

TEST(VectorRows, AreAsManyAsTexts) {
  const TemporaryDirectory folder;
  const std::string three = write_file(folder, "three.txt", "a\nb\nc\n"), two = write_file(folder, "two.txt", "a\nb\n");
  const std::string vectors = (folder.path() / "vectors.npy").string();
  ASSERT_EQ(run_program({"embed", "--input", three, "--output", vectors}).status, 0);
  const ProgramResult result = run_program({"cluster", "--k", "1", "--vectors", vectors, "--input", two});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err,
            "bert-infer: error: '" + vectors + "' has 3 vectors, expected 2, one for each text of the input\n");
}

TEST(VectorRows, KeepTheirTextsPlaces) {
  const TemporaryDirectory folder;
  const std::string input =
      write_file(folder, "in.jsonl", "{\"text\": \"a\", \"x\": 1}\n[\n{\"text\": \"b\", \"x\": 2}\n");
  const std::string vectors = (folder.path() / "vectors.npy").string();
  ASSERT_EQ(run_program({"embed", "--input", input, "--output", vectors}).status, 1);
  const std::vector<std::string> common = {"cluster", "--k", "2", "--input", input, "--format", "jsonl", "--keep", "x"};
  std::vector<std::string> read = common;
  read.insert(read.end(), {"--vectors", vectors});
  const ProgramResult result = run_program(read), embedded = run_program(common);
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, embedded.out);
  EXPECT_NE(
      result.err.find("1 of 3 vectors is left out: a NaN or an infinity, or a text that cannot be read; it is the "
                      "vector of row 2\n"),
      std::string::npos)
      << result.err;
  ASSERT_EQ(result.json_lines().size(), 3u);
  EXPECT_TRUE(result.json_lines()[1].contains("error"));
  EXPECT_EQ(result.json_lines()[2]["x"], 2);
}

}  // namespace
}  // namespace bert::test
