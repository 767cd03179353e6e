// Tests the command zero-shot.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

const std::vector<std::string> kNliLabels = {"contradiction", "neutral", "entailment"};

TEST(ZeroShotCommand, GivesAResultATextAndErrorsInTheirPlace) {
  const TemporaryDirectory folder;
  write_tiny_classifier(folder, kNliLabels);
  const std::vector<std::string> arguments = {
      "zero-shot", "--model", folder.path().string(), "--label", "a, b", "--label", "fox", "--input", "-", "--jsonl",
      "--format",  "jsonl"};
  const ProgramResult result =
      run_program(arguments, {.standard_input = "{\"id\": 7, \"text\": \"the fox\"}\n{\"id\": 8}\n"
                                                "{\"text\": \"the dog\", \"pair\": \"x\"}\n"
                                                "{\"id\": 9, \"text\": \"the dog\"}\n"});
  EXPECT_EQ(result.status, 1);
  const std::vector<nlohmann::json> lines = result.json_lines();
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0]["id"], 7);
  EXPECT_EQ(lines[0]["labels"].size(), 2u);
  EXPECT_NEAR(lines[0]["labels"][0]["score"].get<double>() + lines[0]["labels"][1]["score"].get<double>(), 1, 1e-12);
  EXPECT_TRUE(lines[1].contains("error"));
  EXPECT_EQ(lines[2]["error"], "a \"pair\" where the text alone must be");
  EXPECT_EQ(lines[3]["id"], 9);
  EXPECT_NE(result.err.find("2 of 4 texts failed"), std::string::npos) << result.err;
}

// The model has room for 24 tokens: 3 special tokens, 1 or 2 of the hypothesis, and the rest for the text.
TEST(ZeroShotCommand, SaysWhatItCut) {
  const TemporaryDirectory folder;
  write_tiny_classifier(folder, kNliLabels);
  std::string text = "fox";
  for (int i = 0; i < 29; ++i) text += " fox";
  const ProgramResult result = run_program({"zero-shot", "--model", folder.path().string(), "--labels", " fox,,fox fox",
                                            "--template", "{}", "--format", "json", text});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.json()["labels"].size(), 2u);
  EXPECT_EQ(result.json()["truncated_tokens"], 11);  // the text has 30 tokens
  EXPECT_NE(result.err.find("1 text was too long and cut to 24 tokens; 11 tokens were"), std::string::npos)
      << result.err;
}

TEST(ZeroShotCommand, SaysWhatItNeeds) {
  const TemporaryDirectory folder;
  write_tiny_classifier(folder, {"good", "bad"});
  const std::string model = folder.path().string();
  const auto error = [&](std::vector<std::string> options, int status) {
    options.insert(options.begin(), {"zero-shot", "--model", model, "the fox"});
    const ProgramResult result = run_program(options);
    EXPECT_EQ(result.status, status);
    return result.err;
  };
  EXPECT_NE(error({}, 2).find("zero-shot needs candidate labels: --labels A,B,"), std::string::npos);
  EXPECT_NE(error({"--labels", " , "}, 2).find("needs candidate labels"), std::string::npos);
  EXPECT_NE(error({"--label", "x", "--template", "x"}, 2).find("expected {} once"), std::string::npos);
  EXPECT_NE(error({"--labels", "x,y"}, 1).find("this model's labels are 'good', 'bad'"), std::string::npos);
}

}  // namespace
}  // namespace bert::test
