// Tests embed --merge: it gives the bytes of a run without shards, and refuses shards that do not fit together.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

namespace fs = std::filesystem;

class Merge : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string lines;
    for (int i = 0; i < 40; ++i) lines += i % 9 == 5 ? "\xff\n" : std::string(1 + i % 7, 'a') + " dog\n";
    input_ = write_file(folder_, "input.txt", lines);
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  std::string embed(const std::string& output, const std::string& format, const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"embed", "--input", input_, "--format", format, "--output", path(output)};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_LE(run_program(words).status, 1);
    return path(output);
  }

  ProgramResult merge(const std::vector<std::string>& shards) const {
    std::vector<std::string> words = {"embed", "--merge", "--output", path("merged")};
    words.insert(words.end(), shards.begin(), shards.end());
    return run_program(words);
  }

  void expect_refused(const std::vector<std::string>& shards, const std::string& message) const {
    const ProgramResult result = merge(shards);
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.err, "bert-infer: error: " + message + "\n");
    EXPECT_FALSE(fs::exists(path("merged")));
  }

  TemporaryDirectory folder_;
  std::string input_;
};

nlohmann::json summary_of(const std::string& output) {
  nlohmann::json summary = nlohmann::json::parse(read_file(output + ".summary.json"));
  summary.erase("seconds");
  return summary;
}

TEST_F(Merge, GivesTheBytesOfARunWithoutShards) {
  for (const std::string format : {"text", "jsonl", "npy", "safetensors"}) {
    const std::string whole = embed("whole", format, {"--summary"});
    std::vector<std::string> shards;
    for (const char* i : {"1", "2", "3"}) {
      shards.push_back(embed(format + i, format, {"--shard", std::string(i) + "/3"}));
    }
    do {
      const ProgramResult result = merge(shards);
      EXPECT_EQ(result.status, 1);  // some texts failed
      EXPECT_EQ(result.err, "bert-infer: note: 3 shards, 40 texts\nbert-infer: note: 4 of 40 texts failed\n");
      EXPECT_TRUE(read_file(path("merged")) == read_file(whole)) << format;
      EXPECT_EQ(summary_of(path("merged")), summary_of(whole));
    } while (std::next_permutation(shards.begin(), shards.end()));
  }
}

TEST_F(Merge, RefusesShardsThatDoNotFitTogether) {
  const std::string first = embed("1", "npy", {"--shard", "1/2"}), second = embed("2", "npy", {"--shard", "2/2"});
  const std::string third = embed("3", "npy", {"--shard", "2/3"});
  const std::string cls = embed("4", "npy", {"--shard", "2/2", "--pooling", "cls"});
  const std::string whole = embed("5", "npy", {});
  expect_refused({second}, "shard 1/2 is missing");
  expect_refused({first}, "shard 2/2 is missing");
  expect_refused({first, second, second}, "'" + second + "' and '" + second + "' are both shard 2/2");
  expect_refused({first, third}, "'" + first + "' is shard 1/2 and '" + third + "' is 2/3");
  expect_refused({first, cls}, "'" + cls + "' is of another run than '" + first +
                                   R"(': options/--pooling was none and is now "cls")");
  expect_refused({first, whole}, "'" + whole + "' has no summary '" + whole + ".summary.json'");
  std::ofstream(second, std::ios::app) << "more";
  expect_refused({first, second}, "'" + second + "' is not the file that '" + second + ".summary.json' describes");
  std::ofstream(second + ".summary.json") << "{}";
  expect_refused({first, second}, "'" + second + ".summary.json' is not the summary of a run of embed");
}

TEST_F(Merge, TakesOnlyFiles) {
  ProgramResult result = run_program({"embed", "--merge", "a"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err, "bert-infer: error: --merge needs an --output that is a file\n");
  result = run_program({"embed", "--merge", "--output", path("merged")});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err, "bert-infer: error: --merge needs the outputs of all shards, none given\n");
  result = run_program({"embed", "--merge", "--format", "npy", "--output", path("merged"), "a"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err, "bert-infer: error: --merge takes no --format\n");
}

}  // namespace
}  // namespace bert::test
