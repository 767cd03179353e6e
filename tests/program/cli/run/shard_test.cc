// Tests embed --shard: every line is in exactly one part, and the parts have about equal sizes.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

// Returns the ids of the lines in a part.
std::vector<int> ids_of(const TemporaryDirectory& folder, const std::string& input, const std::string& shard) {
  const std::string output = (folder.path() / "part").string();
  const ProgramResult result =
      run_program({"embed", "--input", input, "--jsonl", "--format", "jsonl", "--shard", shard, "--output", output});
  EXPECT_EQ(result.status, 0) << result.err;
  std::vector<int> ids;
  for (const std::string& line : lines_of(read_file(output))) ids.push_back(nlohmann::json::parse(line)["id"]);
  return ids;
}

TEST(Shard, BeginsWithTheFirstWholeLine) {
  const TemporaryDirectory folder;
  std::string lines;
  for (int id = 0; id < 10; ++id) lines += R"({"id":)" + std::to_string(id) + R"(,"ids":[2,3]})" + "\n";
  const std::string input = write_file(folder, "input", lines);
  ASSERT_EQ(lines.size(), 10u * 21);
  EXPECT_EQ(ids_of(folder, input, "1/1"), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  // The four parts of 210 bytes begin at 0, 52, 105 and 157. The lines from there on begin at 0, 63, 105 and 168.
  EXPECT_EQ(ids_of(folder, input, "1/4"), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(ids_of(folder, input, "2/4"), (std::vector<int>{3, 4}));
  EXPECT_EQ(ids_of(folder, input, "3/4"), (std::vector<int>{5, 6, 7}));
  EXPECT_EQ(ids_of(folder, input, "4/4"), (std::vector<int>{8, 9}));
}

// A quoted field has line breaks and separators. A part always begins with a record.
TEST(Shard, OfColumnsBeginsWithAWholeRecord) {
  const TemporaryDirectory folder;
  std::string records = "id,text\r\n";
  for (int id = 0; id < 30; ++id) {
    records += std::to_string(id) + ",\"a \"\"dog\"\", and\n\n" + std::string(static_cast<size_t>(id % 7), 'x') +
               "\ncat\"\r\n";
  }
  const std::string input = write_file(folder, "input.csv", records);
  const std::string whole = (folder.path() / "whole.jsonl").string();
  ASSERT_EQ(run_program({"embed", "--input", input, "--output", whole}).status, 0);
  for (const int count : {1, 2, 3, 7, 40}) {
    std::string together;
    for (int part = 1; part <= count; ++part) {
      const std::string output = (folder.path() / "part.jsonl").string();
      const ProgramResult result =
          run_program({"embed", "--input", input, "--shard", std::to_string(part) + "/" + std::to_string(count),
                       "--output", output});
      ASSERT_EQ(result.status, 0) << result.err;
      together += read_file(output);
    }
    EXPECT_EQ(together, read_file(whole)) << count;
  }
}

TEST(Shard, OfColumnsTellsTheLinesOfTheWholeFile) {
  const TemporaryDirectory folder;
  const std::string input = write_file(folder, "input.tsv", "text\n\"two\nlines\"\none\ttoo many\n");
  const std::string output = (folder.path() / "part.jsonl").string();
  const ProgramResult result = run_program({"embed", "--input", input, "--shard", "2/2", "--output", output});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(nlohmann::json::parse(read_file(output))["line"], 4) << result.err;
}

TEST(Shard, MayBeEmpty) {
  const TemporaryDirectory folder;
  const std::string input = write_file(folder, "input", R"({"id":0,"text":"the only line, without an end"})");
  EXPECT_EQ(ids_of(folder, input, "1/3"), std::vector<int>{0});
  EXPECT_EQ(ids_of(folder, input, "2/3"), std::vector<int>{});
  EXPECT_EQ(ids_of(folder, input, "3/3"), std::vector<int>{});
}

TEST(Shard, IsANumberOfANumber) {
  const TemporaryDirectory folder;
  const std::string input = write_file(folder, "input", "a\n"), output = (folder.path() / "output").string();
  for (const char* wrong : {"1", "0/2", "3/2", "1/", "/2", "1/2/3", "a/b", "-1/2"}) {
    const ProgramResult result = run_program({"embed", "--input", input, "--output", output, "--shard", wrong});
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.err,
              "bert-infer: error: --shard '" + std::string(wrong) + "': expected I/N, with I from 1 to N\n");
  }
}

}  // namespace
}  // namespace bert::test
