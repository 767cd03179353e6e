// Checks that the counts in the summary of a run are those of the results.
#include <gtest/gtest.h>

#include <filesystem>

#include "bert/quantize.h"
#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

TEST(RunRecord, HasTheCountsOfTheResultsAndTheDigestOfTheOutput) {
  const TemporaryDirectory folder, model;
  write_tiny_model(model);
  const std::string input = write_file(folder, "input", "the\nthe the the the the the\n\xff\nthe the\n");
  const std::string output = (folder.path() / "output").string();
  const ProgramResult result = run_program({"embed", "--model", model.path().string(), "--input", input, "--output",
                                            output, "--max-length", "5", "--format", "npy", "--summary"});
  EXPECT_EQ(result.status, 1);
  const nlohmann::json summary = nlohmann::json::parse(read_file(output + ".summary.json"));
  EXPECT_EQ(summary["texts"], 4);
  EXPECT_EQ(summary["results"], 4);
  EXPECT_EQ(summary["tokens"], 3 + 5 + 4);  // counts [CLS] and [SEP]
  EXPECT_EQ(summary["truncated_texts"], 1);
  EXPECT_EQ(summary["truncated_tokens"], 3);
  EXPECT_EQ(summary["failed"], 1);
  EXPECT_GT(summary["seconds"], 0);
  EXPECT_EQ(summary["format"], "npy");
  EXPECT_EQ(summary["output_type"], "float32");
  EXPECT_EQ(summary["dimensions"], 24);
  EXPECT_EQ(summary["digest"], file_sha256(output));
  const nlohmann::json& run = summary["run"];
  EXPECT_EQ(run["options"], (nlohmann::json{{"--format", "npy"}, {"--max-length", "5"}}));
  EXPECT_EQ(run["shard"], "1/1");
  EXPECT_EQ(run["input"]["bytes"], std::filesystem::file_size(input));
  const std::filesystem::path& files = model.path();
  EXPECT_EQ(run["model"], (nlohmann::json{{"config.json", file_sha256(files / "config.json")},
                                          {"model.safetensors", file_sha256(files / "model.safetensors")},
                                          {"vocab.txt", file_sha256(files / "vocab.txt")}}));
}

TEST(RunRecord, CountsTheWindowsOfATextAsResults) {
  const TemporaryDirectory folder;
  const std::string output = (folder.path() / "output").string();
  // Each window has one token beside [CLS] and [SEP].
  EXPECT_EQ(
      run_program({"embed", "--max-length", "3", "--stride", "0", "--output", output, "--summary", "a dog"}).status, 0);
  const nlohmann::json summary = nlohmann::json::parse(read_file(output + ".summary.json"));
  EXPECT_EQ(summary["texts"], 1);
  EXPECT_EQ(summary["results"], 2);
  EXPECT_EQ(summary["tokens"], 6);
  EXPECT_FALSE(summary["run"].contains("input"));
}

}  // namespace
}  // namespace bert::test
