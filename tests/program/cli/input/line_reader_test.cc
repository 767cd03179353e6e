// Tests lines of files: what ends a line, byte order marks, and compressed files.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

ProgramResult read_lines(const std::string& text, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"tokenize", "--format", "jsonl", "--input", "-"});
  return run_program(more, {.standard_input = text});
}

std::vector<size_t> counts_of(const ProgramResult& result) {
  std::vector<size_t> counts;
  for (const nlohmann::json& object : result.json_lines()) counts.push_back(object["ids"].size());
  return counts;
}

TEST(LineReader, EndsALineAtTheNewlineAndDropsOneCarriageReturn) {
  const ProgramResult result = read_lines("a\r\n\r\na a\n\na a a");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(counts_of(result), (std::vector<size_t>{3, 2, 4, 2, 5}));
}

TEST(LineReader, HasNoLineAfterTheLastNewline) { EXPECT_EQ(counts_of(read_lines("a\n")), std::vector<size_t>{3}); }

TEST(LineReader, IsReadWithoutItsByteOrderMark) {
  const std::string mark = "\xEF\xBB\xBF";
  // A byte order mark that is not at the beginning of the file belongs to its text.
  EXPECT_EQ(read_lines(mark + "a\na" + mark + "\n").out, read_lines("a\na" + mark + "\n").out);
  EXPECT_EQ(read_lines(mark + "{\"text\": \"a\"}\n", {"--jsonl"}).out,
            read_lines("{\"text\": \"a\"}\n", {"--jsonl"}).out);
  EXPECT_EQ(read_lines(mark).out, "");
  const TemporaryDirectory folder;
  const std::string marked = write_file(folder, "marked", mark + "a\n"), plain = write_file(folder, "plain", "a\n");
  const auto offsets = [](const std::string& file) {
    return run_program({"tokenize", "--format", "json", "--input", file}).json()["offsets"];
  };
  EXPECT_EQ(offsets(marked), offsets(plain));
}

TEST(LineReader, TakesALineLongerThanItsBuffer) {
  std::string line;  // gets 360 KB; the buffer has 256 KiB
  for (int i = 0; i < 90'000; ++i) line += "dog ";
  const ProgramResult result = read_lines(line + "\na\n", {"--max-length", "0"});
  EXPECT_EQ(counts_of(result), (std::vector<size_t>{90'002, 3}));
}

TEST(LineReader, MayBeCompressed) {
  const TemporaryDirectory folder;
  // Both files are "two\nlines\n", compressed by gzip and by zstd.
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
  // A file with only the first bytes of a compressed file is text.
  EXPECT_EQ(run_program({"tokenize", "--format", "ids", "--input", "-"}, {.standard_input = "("}).out,
            run_program({"tokenize", "--format", "ids", "("}).out);
}

TEST(LineReader, ThatIsUtf16IsNamed) {
  const std::string little("a\0b\0\n\0", 6), big("\0a\0b\0\n", 6), zeros("\0\0\0\0\n", 5);
  EXPECT_NE(read_lines(little).err.find("expected UTF-8: iconv -f UTF-16LE -t UTF-8"), std::string::npos);
  EXPECT_NE(read_lines(big).err.find("expected UTF-8: iconv -f UTF-16BE -t UTF-8"), std::string::npos);
  EXPECT_EQ(read_lines(zeros).err.find("UTF-16"), std::string::npos);
}

}  // namespace
}  // namespace bert::test
