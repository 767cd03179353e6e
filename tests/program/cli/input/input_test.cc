// Tests lines and JSON lines as input: what counts as a line, and what result a bad line gets.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

ProgramResult tokenize_lines(const std::string& text, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"tokenize", "--format", "jsonl", "--input", "-"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments, {.standard_input = text});
}

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

TEST(Input, MayBeSeveralFiles) {
  const TemporaryDirectory folder;
  const std::string one = write_file(folder, "one", "a\nb"), two = write_file(folder, "two", "a b\n\xff\n");
  const ProgramResult result = run_program(
      {"tokenize", "--format", "ids", "--input", one, "--input", two, "--input", "-"}, {.standard_input = "b a\n"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, run_program({"tokenize", "--format", "ids", "a", "b", "a b"}).out + "\n" +
                            run_program({"tokenize", "--format", "ids", "b a"}).out);
  EXPECT_NE(result.err.find("line 2 of '" + two + "': "), std::string::npos) << result.err;
  const ProgramResult json = run_program({"tokenize", "--format", "jsonl", "--input", one, "--input", two});
  EXPECT_EQ(json.json_lines().back()["file"], two);
  EXPECT_EQ(json.json_lines().back()["line"], 2);
  EXPECT_EQ(run_program({"tokenize", "--input", "-", "--input", "-"}).status, 2);
  EXPECT_EQ(run_program({"embed", "--input", one, "--input", "no/such/file"}).out, "");
}

TEST(Input, TakesTheTextFromANamedMember) {
  const std::string lines = "{\"body\": \"a b\", \"id\": 3}\n{\"text\": \"a\"}\n";
  const ProgramResult result = tokenize_lines(lines, {"--jsonl", "--field", "body"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.json_lines().at(0)["id"], 3);
  EXPECT_EQ(result.json_lines().at(0)["ids"].size(), 4u);
  EXPECT_NE(result.err.find("line 2: neither \"body\" nor \"ids\" nor \"words\"\n"), std::string::npos) << result.err;
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"--field", "body"}, {"--jsonl", "--field", "id"}}) {
    EXPECT_EQ(tokenize_lines(lines, wrong).status, 2);
  }
}

TEST(Input, ThatIsMissingIsNamed) {
  const ProgramResult result = run_program({"embed", "--input", "no/such/file"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "bert-infer: error: cannot open 'no/such/file': No such file or directory\n");
}

TEST(Input, TellsOnceOfEmptyLines) {
  EXPECT_EQ(tokenize_lines("a\n\nb\n\n").err, "bert-infer: note: 2 empty lines count as texts\n");
}

TEST(Input, ThatIsAnArrayIsNamed) {
  for (const std::string text : {"[\n{\"text\": \"a\"}\n]\n", "[{\"text\": \"a\"}]"}) {
    const ProgramResult result = run_program({"embed", "--input", "-", "--jsonl"}, {.standard_input = text});
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.err,
              "bert-infer: error: standard input begins an array, expected an object a line: `jq -c '.[]'` writes the "
              "items of an array so\n");
  }
  expect_usage_error({"embed", "--input", "a.json"}, "a .json is not read, expected an object a line");
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
