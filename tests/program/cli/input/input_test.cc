// Lines and JSON lines: what counts as one, and what a bad one gets in its place.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/program/cli/program.h"

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

TEST(Input, IsReadWithoutItsByteOrderMark) {
  const std::string mark = "\xEF\xBB\xBF";
  // A mark elsewhere is a part of its text.
  EXPECT_EQ(tokenize_lines(mark + "a\na" + mark + "\n").out, tokenize_lines("a\na" + mark + "\n").out);
  EXPECT_EQ(tokenize_lines(mark + "{\"text\": \"a\"}\n", {"--jsonl"}).out,
            tokenize_lines("{\"text\": \"a\"}\n", {"--jsonl"}).out);
  EXPECT_EQ(tokenize_lines(mark).out, "");
  const TemporaryDirectory folder;
  const std::string marked = write_file(folder, "marked", mark + "a\n"), plain = write_file(folder, "plain", "a\n");
  const auto offsets = [](const std::string& file) {
    return run_program({"tokenize", "--format", "json", "--input", file}).json()["offsets"];
  };
  EXPECT_EQ(offsets(marked), offsets(plain));
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

TEST(Input, TakesALineLongerThanItsBuffer) {
  std::string line;  // 360 KB; the buffer holds 256 KiB
  for (int i = 0; i < 90'000; ++i) line += "dog ";
  const ProgramResult result = tokenize_lines(line + "\na\n", {"--max-length", "0"});
  EXPECT_EQ(token_counts(result), (std::vector<size_t>{90'002, 3}));
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

TEST(Input, MayBeCompressed) {
  const TemporaryDirectory folder;
  // "two\nlines\n" by gzip and by zstd.
  const std::string gzip =
      write_file(folder, "gzip",
                 {"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x2b\x29\xcf\xe7\xca\xc9\xcc\x4b\x2d\xe6\x02\x00\x1c\x9e\x67"
                  "\xbf\x0a\x00\x00\x00",
                  30});
  const std::string zstd =
      write_file(folder, "zstd",
                 {"\x28\xb5\x2f\xfd\x04\x58\x51\x00\x00\x74\x77\x6f\x0a\x6c\x69\x6e\x65\x73\x0a\x7f\xd0\x1e\x70", 23});
  EXPECT_EQ(run_program({"tokenize", "--format", "ids", "--input", gzip, "--input", zstd}).out,
            run_program({"tokenize", "--format", "ids", "two", "lines", "two", "lines"}).out);
  const ProgramResult truncated =
      run_program({"tokenize", "--format", "ids"}, {.standard_input = {"\x1f\x8b\x08\x00\x00\x00\x00\x00", 8}});
  EXPECT_EQ(truncated.status, 1);
  EXPECT_EQ(truncated.err,
            "bert-infer: error: standard input: ends in the middle of its compressed data, after 8 bytes\n");
  const ProgramResult divided =
      run_program({"embed", "--resume", "--input", gzip, "--output", (folder.path() / "out.npy").string()});
  EXPECT_EQ(divided.err, "bert-infer: error: --resume needs lines that are not compressed: it divides '" + gzip +
                             "' by its bytes\n");
  // Bytes that only begin like a compressed file are text.
  EXPECT_EQ(run_program({"tokenize", "--format", "ids", "--input", "-"}, {.standard_input = "("}).out,
            run_program({"tokenize", "--format", "ids", "("}).out);
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
