// Tests the command dedup: which texts stay, the groups, the formats, and vectors from a file.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

// The second text paraphrases the first. The fourth is equal to the first.
constexpr const char* kAlikeLines = "A dog runs.\nA dog is running.\nThe stock market fell.\nA dog runs.\n";

double cosine_of(const std::string& a, const std::string& b) {
  return run_program({"similarity", "--format", "json", a, b}).json()["similarity"];
}

TEST(Dedup, LeavesTheFirstOfTextsThatAreAlike) {
  const double near = cosine_of("A dog runs.", "A dog is running.");
  ASSERT_GT(near, 0.5);
  ASSERT_LT(cosine_of("A dog runs.", "The stock market fell."), near - 0.1);
  const ProgramResult lower = run_program({"dedup", "--input", "-", "--threshold", std::to_string(near - 0.01)},
                                          {.standard_input = kAlikeLines});
  EXPECT_EQ(lower.status, 0);
  EXPECT_EQ(lower.out, "A dog runs.\nThe stock market fell.\n");
  EXPECT_EQ(lower.err, "bert-infer: note: kept 2 of 4 texts, dropped 2 near-duplicates\n");
  const ProgramResult higher = run_program({"dedup", "--input", "-", "--threshold", std::to_string(near + 0.01)},
                                           {.standard_input = kAlikeLines});
  EXPECT_EQ(higher.out, "A dog runs.\nA dog is running.\nThe stock market fell.\n");
  const ProgramResult equal = run_program({"dedup", "--threshold", "1", "one", "two", "one"});
  EXPECT_EQ(equal.out, "one\ntwo\n");
}

TEST(Dedup, WritesGroupsOnDemand) {
  const ProgramResult text =
      run_program({"dedup", "--groups", "--threshold", "0.999", "--input", "-"}, {.standard_input = kAlikeLines});
  EXPECT_EQ(text.out, "  cosine  text\n   stays     1  A dog runs.\n1.000000     4  A dog runs.\n");
  const ProgramResult json =
      run_program({"dedup", "--groups", "--format", "json", "--input", "-"}, {.standard_input = kAlikeLines});
  const nlohmann::json group = json.json();
  EXPECT_EQ(group["index"], 0);
  EXPECT_EQ(group["text"], "A dog runs.");
  ASSERT_FALSE(group["duplicates"].empty());
  EXPECT_EQ(group["duplicates"].back()["index"], 3);
  EXPECT_EQ(group["duplicates"].back()["cosine"], 1.0);
  const ProgramResult csv =
      run_program({"dedup", "--groups", "--threshold", "0.999", "--format", "csv", "--input", "-"},
                  {.standard_input = kAlikeLines});
  EXPECT_EQ(csv.out,
            "index,id,kept,cosine,text\n0,,0,,A dog runs.\n1,,1,,A dog is running.\n2,,2,,The stock market fell.\n"
            "3,,0,1,A dog runs.\n");
}

TEST(Dedup, CopiesWhatKeepNames) {
  const std::string records =
      "{\"id\": 7, \"text\": \"one\", \"from\": {\"a\": [1, \"x\", null]}}\n{\"text\": \"one\", \"from\": 2}\n"
      "{\"text\": \"two, or more\", \"from\": \"b\"}\n";
  const ProgramResult lines = run_program({"dedup", "--jsonl", "--input", "-", "--format", "jsonl", "--keep", "from"},
                                          {.standard_input = records});
  EXPECT_EQ(lines.out,
            "{\"id\":7,\"from\":{\"a\":[1,\"x\",null]},\"index\":0,\"text\":\"one\"}\n"
            "{\"from\":\"b\",\"index\":2,\"text\":\"two, or more\"}\n");
  const ProgramResult csv = run_program({"dedup", "--jsonl", "--input", "-", "--format", "csv", "--keep", "from"},
                                        {.standard_input = records});
  EXPECT_EQ(csv.out, "index,id,from,text\n0,7,\"{\"\"a\"\":[1,\"\"x\"\",null]}\",one\n2,,b,\"two, or more\"\n");
}

TEST(Dedup, TakesTheVectorsOfAFile) {
  const TemporaryDirectory folder;
  const std::string input = write_file(folder, "lines.txt", kAlikeLines);
  const std::string vectors = (folder.path() / "vectors.npy").string();
  ASSERT_EQ(run_program({"embed", "--input", input, "--output", vectors}).status, 0);
  const std::vector<std::string> common = {"dedup", "--threshold", "0.8", "--format", "jsonl", "--groups", "--input"};
  std::vector<std::string> embedded = common, read = common;
  embedded.push_back(input);
  read.insert(read.end(), {input, "--vectors", vectors});
  EXPECT_EQ(run_program(read).out, run_program(embedded).out);
  EXPECT_EQ(run_program({"dedup", "--threshold", "0.999", "--vectors", vectors}).out, "0\n1\n2\n");
  // The groups name the same vector by the same number.
  const std::string groups = run_program({"dedup", "--groups", "--threshold", "0.999", "--vectors", vectors}).out;
  EXPECT_NE(groups.find("   stays       0\n"), std::string::npos) << groups;
  expect_usage_error({"dedup", "--vectors", vectors, "a text"}, "--vectors goes with the texts of --input");
  expect_usage_error({"dedup", "--vectors", vectors, "--model", "x"}, "--vectors takes the place of the model's");
}

TEST(Dedup, LeavesOutWhatHasNoVector) {
  const TemporaryDirectory folder;
  const std::string input =
      write_file(folder, "lines.jsonl", "{\"text\": \"one\"}\n{\"text\": 1}\n{\"text\": \"one\"}\n");
  const ProgramResult failed = run_program({"dedup", "--input", input});
  EXPECT_EQ(failed.status, 1);
  EXPECT_EQ(failed.out, "one\n");
  const std::string vectors = (folder.path() / "vectors.npy").string();
  run_program({"embed", "--input", input, "--output", vectors});
  const ProgramResult read = run_program({"dedup", "--vectors", vectors, "--format", "jsonl"});
  EXPECT_EQ(read.status, 1);
  EXPECT_EQ(read.out, "{\"index\":0}\n");
  EXPECT_NE(read.err.find("1 of 3 vectors is left out"), std::string::npos) << read.err;
}

TEST(Dedup, NeedsTheMemoryThatIsAllowed) {
  const ProgramResult result = run_program({"dedup", "--memory", "1", "a", "b"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("bytes of memory, expected at most 1048576"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace bert::test
