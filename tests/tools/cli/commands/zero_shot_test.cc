// The command zero-shot, on a model of random weights.
#include <gtest/gtest.h>

#include <cmath>

#include "bert/tasks.h"
#include "bert/text_tasks.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"
#include "tests/tools/cli/program.h"

namespace bert::test {
namespace {

// A classifier with these labels, as JSON members, and random weights.
void write_classifier(const TemporaryDirectory& folder, const std::string& labels, size_t outputs) {
  write_tiny_model(folder, {}, [&](TinyTensors& tensors) {
    TinyTensors with_prefix;
    for (auto& [name, tensor] : tensors) {
      with_prefix[name.starts_with("bert.") ? name : "bert." + name] = std::move(tensor);
    }
    std::vector<float> weights;
    for (size_t i = 0; i < outputs * 24; ++i) weights.push_back(std::sin(static_cast<float>(i * i)));
    with_prefix["classifier.weight"] = {{outputs, 24}, weights};
    with_prefix["classifier.bias"] = {{outputs}, std::vector<float>(outputs, 0.1f)};
    tensors = std::move(with_prefix);
  });
  nlohmann::json config = nlohmann::json::parse(read_file(folder.path() / "config.json"));
  config["architectures"] = {"BertForSequenceClassification"};
  config["id2label"] = nlohmann::json::parse(labels);
  folder.write("config.json", config.dump());
}

constexpr const char* kNliLabels = R"({"0": "contradiction", "1": "neutral", "2": "entailment"})";

TEST(ZeroShotCommand, ScoresAreThoseOfThePairsLogits) {
  const TemporaryDirectory folder;
  write_classifier(folder, kNliLabels, 3);
  const Model model = Model::load(folder.path().string());
  const std::vector<std::string> labels = {"fox", "the dog", "jump"};
  std::vector<Logits> logits;
  for (const std::string& label : labels) {
    const Encoding pair = model.tokenizer().tokenize("the quick fox", hypothesis("it is {}", label));
    const TokenSequence sequence = model.sequence(pair);
    logits.push_back(model.logits(Head::kSequenceClassification, {&sequence, 1})[0]);
  }
  for (const bool multi_label : {false, true}) {
    std::vector<std::string> arguments = {
        "zero-shot", "--model", folder.path().string(), "--labels", " fox , the dog,, jump", "--template", "it is {}",
        "--format",  "json",    "the quick fox"};
    if (multi_label) arguments.emplace_back("--multi-label");
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    const nlohmann::json found = result.json()["labels"];
    const std::vector<LabelScore> expected = zero_shot_scores(model.config(), labels, logits, multi_label);
    ASSERT_EQ(found.size(), 3u);
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i]["label"], expected[i].label);
      EXPECT_EQ(found[i]["score"].get<double>(), expected[i].score);
    }
  }
}

TEST(ZeroShotCommand, GivesAResultATextAndErrorsInTheirPlace) {
  const TemporaryDirectory folder;
  write_classifier(folder, kNliLabels, 3);
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

TEST(ZeroShotCommand, CutsTheTextAndNotTheHypothesis) {
  const TemporaryDirectory folder;
  write_classifier(folder, kNliLabels, 3);
  std::string text = "fox";
  for (int i = 0; i < 29; ++i) text += " fox";
  // 24 places, 3 special tokens, and the hypothesis: 1 token or 2.
  const ProgramResult result = run_program({"zero-shot", "--model", folder.path().string(), "--labels", "fox,fox fox",
                                            "--template", "{}", "--format", "json", text});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.json()["truncated_tokens"], 11);  // of 30
  EXPECT_NE(result.err.find("1 text was too long and cut to 24 tokens; 11 tokens were"), std::string::npos)
      << result.err;
}

TEST(ZeroShotCommand, SaysWhatItNeeds) {
  const TemporaryDirectory folder;
  write_classifier(folder, R"({"0": "good", "1": "bad"})", 2);
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

// The same windows of 4 and of 5 tokens beside the hypotheses: the mean of their scores.
TEST(ZeroShotCommand, ReadsALongTextInWindows) {
  const TemporaryDirectory folder;
  write_classifier(folder, kNliLabels, 3);
  std::string text = "fox";
  for (int i = 0; i < 59; ++i) text += i % 7 == 0 ? " dog" : " fox";
  const Model model = Model::load(folder.path().string());
  const std::vector<std::string> labels = {"fox", "fox fox"};
  for (const char* how : {"mean", "largest"}) {
    const ProgramResult result =
        run_program({"zero-shot", "--model", folder.path().string(), "--labels", "fox,fox fox", "--template", "{}",
                     "--stride", "3", "--window-scores", how, "--format", "json", text});
    EXPECT_EQ(result.status, 0) << result.err;
    const WindowScores scores = how == std::string("mean") ? WindowScores::kMean : WindowScores::kLargest;
    const std::vector<LabelScore> expected =
        zero_shot(model, text, labels, {.hypothesis_template = "{}", .windows = {.stride = 3, .scores = scores}});
    EXPECT_EQ(result.json()["truncated_tokens"], 0);
    ASSERT_EQ(result.json()["labels"].size(), 2u);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(result.json()["labels"][i]["label"], expected[i].label);
      EXPECT_EQ(result.json()["labels"][i]["score"].get<double>(), expected[i].score);
    }
  }
}

}  // namespace
}  // namespace bert::test
