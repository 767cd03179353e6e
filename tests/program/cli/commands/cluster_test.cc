// Tests the command cluster: clusters by k-means and by a threshold, in every format.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

constexpr const char* kTwoTopics =
    "A dog runs.\nThe dog runs fast.\nA dog is running.\nThe stock market fell.\nThe market fell.\n";

TEST(Cluster, DividesTextsByMeaning) {
  const ProgramResult result =
      run_program({"cluster", "--k", "2", "--input", "-", "--format", "jsonl"}, {.standard_input = kTwoTopics});
  EXPECT_EQ(result.status, 0) << result.err;
  const std::vector<nlohmann::json> lines = result.json_lines();
  ASSERT_EQ(lines.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(lines[i]["index"], i);
    EXPECT_EQ(lines[i]["text"], lines_of(kTwoTopics)[i]);
    EXPECT_EQ(lines[i]["cluster"], i < 3 ? 0 : 1) << "the larger cluster is the first";
    EXPECT_GT(lines[i]["cosine"].get<double>(), 0.7);
  }
}

TEST(Cluster, WritesClustersForPeople) {
  const ProgramResult result = run_program({"cluster", "--k", "2", "--input", "-"}, {.standard_input = kTwoTopics});
  EXPECT_TRUE(result.out.starts_with("cluster 0: 3 texts\n  cosine  text\n")) << result.out;
  EXPECT_NE(result.out.find("\ncluster 1: 2 texts\n"), std::string::npos) << result.out;
}

TEST(Cluster, TakesTextsNearACentre) {
  const double near =
      run_program({"similarity", "--format", "json", "A dog runs.", "A dog is running."}).json()["similarity"];
  const ProgramResult result =
      run_program({"cluster", "--threshold", std::to_string(near - 0.001), "--input", "-", "--format", "jsonl"},
                  {.standard_input = "A dog runs.\nA purple cloud of thought.\nA dog is running.\n"});
  const std::vector<nlohmann::json> lines = result.json_lines();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["cluster"], 0);
  EXPECT_EQ(lines[0]["cosine"], 1.0);
  EXPECT_TRUE(lines[1]["cluster"].is_null());
  EXPECT_EQ(lines[2]["cluster"], 0);
  EXPECT_NEAR(lines[2]["cosine"].get<double>(), near, 1e-6);
  EXPECT_EQ(result.err, "bert-infer: note: 1 cluster; 1 of 3 texts in none\n");
  const ProgramResult larger =
      run_program({"cluster", "--threshold", "0.1", "--min-size", "4", "--input", "-", "--format", "csv"},
                  {.standard_input = "one\ntwo\nthree\n"});
  EXPECT_EQ(larger.out, "index,id,cluster,cosine,text,error\n0,,,,one,\n1,,,,two,\n2,,,,three,\n");
}

TEST(Cluster, IsTheSameForThreadsAndForTheVectorsOfAFile) {
  const TemporaryDirectory folder;
  const std::string input = write_file(folder, "lines.txt", kTwoTopics);
  const std::string vectors = (folder.path() / "vectors.npy").string();
  ASSERT_EQ(run_program({"embed", "--input", input, "--output", vectors}).status, 0);
  const std::vector<std::string> common = {"cluster", "--k", "3", "--seed", "4", "--format", "csv", "--input", input};
  std::vector<std::string> one = common, two = common, read = common;
  one.insert(one.end(), {"--threads", "1"});
  two.insert(two.end(), {"--threads", "2"});
  read.insert(read.end(), {"--vectors", vectors});
  const std::string expected = run_program(one).out;
  EXPECT_EQ(lines_of(expected).size(), 6u);
  EXPECT_EQ(run_program(two).out, expected);
  EXPECT_EQ(run_program(read).out, expected);
}

TEST(Cluster, HasARowForEachFailedText) {
  const ProgramResult result = run_program({"cluster", "--k", "1", "--jsonl", "--input", "-", "--format", "csv"},
                                           {.standard_input = "{\"text\": 1}\n{\"text\": \"one\"}\n"});
  EXPECT_EQ(result.status, 1);
  const std::vector<std::string> rows = lines_of(result.out);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0], "index,id,cluster,cosine,text,error");
  EXPECT_EQ(rows[1], "0,,,,,\"\"\"text\"\" is not a string\"");
  EXPECT_TRUE(rows[2].starts_with("1,,0,") && rows[2].ends_with(",one,")) << rows[2];
}

TEST(Cluster, NeedsOneWayToClusters) {
  expect_usage_error({"cluster", "a", "b"}, "cluster needs --k N or --threshold COSINE, one of them");
  expect_usage_error({"cluster", "--k", "2", "--threshold", "0.5", "a", "b"}, "one of them");
  expect_usage_error({"cluster", "--threshold", "0.5", "--seed", "1", "a"}, "--seed and --iterations are for --k");
  expect_usage_error({"cluster", "--k", "1", "--min-size", "2", "a"}, "--min-size is for --threshold");
  const ProgramResult many = run_program({"cluster", "--k", "3", "a", "b"});
  EXPECT_EQ(many.status, 1);
  EXPECT_NE(many.err.find("--k 3 needs 3 texts: the input has 2"), std::string::npos) << many.err;
}

}  // namespace
}  // namespace bert::test
