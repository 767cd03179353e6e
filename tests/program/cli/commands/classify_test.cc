// Tests the command classify.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_gliclass.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

TEST(Classify, GivesALineATextAndErrorsInTheirPlace) {
  BERT_TEST_DATA_OR_SKIP(folder, "checkpoint/bert-tiny-own-sst2");
  const std::string model = folder.string();
  const ProgramResult text = run_program({"classify", "--model", model, "a charming and affecting journey", "bleak"});
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(lines_of(text.out).size(), 2u);
  const ProgramResult result =
      run_program({"classify", "--model", model, "--input", "-", "--jsonl", "--format", "jsonl"},
                  {.standard_input = "{\"id\": 7, \"text\": \"a charming journey\"}\n"
                                     "{\"id\": 8}\n{\"text\": \"bleak and desperate\"}\n"});
  EXPECT_EQ(result.status, 1);
  const std::vector<nlohmann::json> lines = result.json_lines();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["id"], 7);
  EXPECT_NEAR(lines[0]["labels"][0]["score"].get<double>() + lines[0]["labels"][1]["score"].get<double>(), 1, 1e-12);
  EXPECT_EQ(lines[1]["id"], 8);
  EXPECT_TRUE(lines[1].contains("error"));
  EXPECT_NE(lines[0]["labels"][0]["label"], lines[2]["labels"][0]["label"]);
}

TEST(Classify, ShowsAsManyLabelsAsAsked) {
  BERT_TEST_DATA_OR_SKIP(folder, "checkpoint/bert-tiny-own-sst2");
  const ProgramResult result =
      run_program({"classify", "--model", folder.string(), "--top-k", "1", "--format", "json", "a"});
  EXPECT_EQ(result.json()["labels"].size(), 1u);
}

TEST(Classify, WritesATableOfLabelsWithKeptColumns) {
  BERT_TEST_DATA_OR_SKIP(folder, "checkpoint/bert-tiny-own-sst2");
  const std::string columns = "id,stars,text\n7,\"5, of 5\",a charming journey\n8,1\n9,2,bleak\n";
  const std::vector<std::string> common = {"classify", "--model", folder.string(), "--csv", "--input", "-",
                                           "--keep",   "stars",   "--top-k",       "1",     "--format"};
  std::vector<std::string> csv = common, jsonl = common;
  csv.emplace_back("csv");
  jsonl.emplace_back("jsonl");
  const std::vector<std::string> rows = lines_of(run_program(csv, {.standard_input = columns}).out);
  const std::vector<nlohmann::json> objects = run_program(jsonl, {.standard_input = columns}).json_lines();
  ASSERT_EQ(rows.size(), 4u);
  ASSERT_EQ(objects.size(), 3u);
  EXPECT_EQ(rows[0], "index,id,stars,label,score,error");
  EXPECT_EQ(objects[0]["stars"], "5, of 5");
  const nlohmann::json best = objects[0]["labels"][0];
  const std::string begin = "0,7,\"5, of 5\"," + best["label"].get<std::string>() + ",";
  ASSERT_TRUE(rows[1].starts_with(begin)) << rows[1];
  EXPECT_EQ(std::stod(rows[1].substr(begin.size())), best["score"].get<double>());
  EXPECT_EQ(rows[2], "1,8,1,,,\"2 fields, expected 3, as the first line has\"");
  expect_usage_error({"classify", "--model", folder.string(), "--format", "csv", "--explain", "a"},
                     "--explain has no csv");
}

TEST(Classify, TakesLabelsForAModelThatReadsThem) {
  const TemporaryDirectory directory;
  write_tiny_gliclass(directory);
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"classify", "--model", directory.path().string(), "--format", "jsonl"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  };
  const nlohmann::json one = with({"--labels", "dog, fox,lazy", "the quick fox"}).json()["labels"];
  ASSERT_EQ(one.size(), 3u);
  const nlohmann::json alone =
      with({"--labels", "dog, fox,lazy", "--multi-label", "--top-k", "1", "the quick fox"}).json()["labels"];
  ASSERT_EQ(alone.size(), 1u);
  const std::string text =
      run_program({"classify", "--model", directory.path().string(), "--label", "dog, fox", "a"}).out;
  EXPECT_EQ(text, "dog, fox 1.000000\n");

  EXPECT_NE(
      with({"the dog"}).err.find("the model reads labels, expected those that a text may have: classify --labels"),
      std::string::npos);
  EXPECT_NE(with({"--multi-label", "the dog"}).err.find("--multi-label needs --labels"), std::string::npos);
  EXPECT_NE(with({"--labels", " , ", "the dog"}).err.find("expected at least one label"), std::string::npos);
  EXPECT_NE(with({"--labels", "dog", "--pair", "a", "the dog"}).status, 0);
  EXPECT_NE(run_program({"classify", "--labels", "dog", "the dog"})
                .err.find("the built-in model does not read labels for classes, expected a GLiClass model"),
            std::string::npos);
}

TEST(ClassifyCommand, SaysWhatItDoesWithALongText) {
  const TemporaryDirectory directory;
  write_tiny_classifier(directory, {"bad", "good", "dull"});
  std::string text = "fox";
  for (int i = 0; i < 59; ++i) text += i % 7 == 0 ? " dog" : " fox";
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"classify", "--model", directory.path().string(), "--format", "json", text});
    return run_program(more);
  };
  EXPECT_NE(run({"--window-scores", "mean"}).err.find("--window-scores needs --long-text windows"), std::string::npos);
  EXPECT_NE(run({"--stride", "4", "--explain"}).err.find("not of windows"), std::string::npos);
  EXPECT_EQ(run({"--long-text", "windows"}).json()["truncated_tokens"], 0);
  EXPECT_GT(run({"--long-text", "cut"}).json()["truncated_tokens"], 0);
  const ProgramResult refused = run({"--long-text", "error"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(refused.json().contains("error"));
  EXPECT_EQ(run({"--long-text", "error"}).json()["error"], run({"--truncation", "error"}).json()["error"]);
  EXPECT_EQ(run({"--stride", "4", "--long-text", "cut"}).status, 2);
  EXPECT_EQ(run({"--truncation", "error", "--long-text", "cut"}).status, 2);
}

}  // namespace
}  // namespace bert::test
