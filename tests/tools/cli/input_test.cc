// Lines and JSON lines: what counts as one, and what a bad one gets in its place.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/tools/cli/program.h"

namespace bert::test {
namespace {

ProgramResult tokenize_lines(const std::string& text, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"tokenize", "--format", "jsonl", "--input", "-"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments, {.standard_input = text});
}

std::vector<size_t> token_counts(const ProgramResult& result) {
  std::vector<size_t> counts;
  for (const nlohmann::json& object : result.json_lines()) counts.push_back(object["ids"].size());
  return counts;
}

TEST(Input, EndsALineAtTheNewlineAndDropsOneCarriageReturn) {
  const ProgramResult result = tokenize_lines("a\r\n\r\na a\n\na a a");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(token_counts(result), (std::vector<size_t>{3, 2, 4, 2, 5}));
}

TEST(Input, HasNoLineAfterTheLastNewline) { EXPECT_EQ(token_counts(tokenize_lines("a\n")), std::vector<size_t>{3}); }

TEST(Input, MayBeEmpty) {
  const ProgramResult result = tokenize_lines("");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(run_program({"tokenize", "--format", "json", "--input", "/dev/null"}).out, "[]\n");
}

TEST(Input, ReadsAFile) {
  const TemporaryDirectory folder;
  const std::string path = write_file(folder, "texts", "a\nb\n");
  EXPECT_EQ(run_program({"tokenize", "--format", "ids", "--input", path}).out,
            run_program({"tokenize", "--format", "ids", "a", "b"}).out);
}

TEST(Input, TakesALineLongerThanItsBuffer) {
  std::string line;
  for (int i = 0; i < 200'000; ++i) line += "dog ";
  const ProgramResult result = tokenize_lines(line + "\na\n", {"--max-length", "0"});
  EXPECT_EQ(token_counts(result), (std::vector<size_t>{200'002, 3}));
}

TEST(Input, ThatIsMissingIsNamed) {
  const ProgramResult result = run_program({"embed", "--input", "no/such/file"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "bert-infer: error: cannot open 'no/such/file': No such file or directory\n");
}

TEST(Input, ThatIsADirectoryIsNamed) {
  const TemporaryDirectory folder;
  const ProgramResult result = run_program({"embed", "--input", folder.path().string()});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("Is a directory"), std::string::npos) << result.err;
}

TEST(Input, LineThatIsNotUtf8GetsAnErrorInItsPlace) {
  const ProgramResult result = tokenize_lines("a\nb\xff\nc\n");
  EXPECT_EQ(result.status, 1);
  const std::vector<nlohmann::json> objects = result.json_lines();
  ASSERT_EQ(objects.size(), 3u);
  EXPECT_TRUE(objects[0].contains("ids"));
  EXPECT_EQ(objects[1]["line"], 2);
  EXPECT_TRUE(objects[1]["error"].is_string());
  EXPECT_TRUE(objects[2].contains("ids"));
  EXPECT_NE(result.err.find("bert-infer: error: line 2: "), std::string::npos) << result.err;
}

TEST(Input, BadLineIsAnEmptyLineOfTextAndIds) {
  for (const char* format : {"text", "ids"}) {
    const ProgramResult result =
        run_program({"tokenize", "--format", format, "--input", "-"}, {.standard_input = "\xff\n"});
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.out, "\n") << format;
  }
}

TEST(Input, WordThatIsNotUtf8FailsAlone) {
  const ProgramResult result = run_program({"tokenize", "--format", "json", "a", "\xff"});
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(result.json()[0].contains("ids"));
  EXPECT_FALSE(result.json()[1].contains("line"));
  EXPECT_TRUE(result.json()[1].contains("error"));
}

}  // namespace
}  // namespace bert::test
