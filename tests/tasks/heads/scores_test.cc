// Compares labels and their scores with calculations by hand, and with the reference's cross-encoder and classifier.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/support/expect_error.h"
#include "tests/tasks/heads/pipeline_cases.h"

namespace bert {
namespace {

TEST(Scores, SoftmaxOfLargeAndSmallNumbers) {
  const std::vector<double> scores = softmax(std::vector<float>{1000, 1000, 0});
  EXPECT_EQ(scores, (std::vector<double>{0.5, 0.5, 0}));
  EXPECT_TRUE(softmax({}).empty());
  EXPECT_DOUBLE_EQ(sigmoid(0), 0.5);
}

std::vector<LabelScore> scores_of(ProblemType problem, std::vector<float> logits) {
  ModelConfig config;
  config.problem_type = problem;
  config.labels.clear();
  for (size_t i = 0; i < logits.size(); ++i) config.labels.push_back(std::string(1, static_cast<char>('a' + i)));
  return label_scores(config, {.rows = 1, .outputs = logits.size(), .values = logits});
}

TEST(Scores, FollowTheProblemType) {
  const auto softmaxed = scores_of(ProblemType::kUnspecified, {0, 0, std::log(2.0f)});
  EXPECT_EQ(softmaxed[0].label, "c");
  EXPECT_NEAR(softmaxed[0].score, 0.5, 1e-7);
  EXPECT_EQ(softmaxed[1].label, "a") << "of equals the first";
  EXPECT_NEAR(scores_of(ProblemType::kMultiLabel, {0, 1})[1].score, 0.5, 1e-7);
  EXPECT_EQ(scores_of(ProblemType::kRegression, {-3, 4})[0].score, 4);
  EXPECT_EQ(scores_of(ProblemType::kRegression, {-3})[0].score, -3);
  EXPECT_NEAR(scores_of(ProblemType::kUnspecified, {0})[0].score, 0.5, 1e-7) << "one label: sigmoid";
  EXPECT_NEAR(scores_of(ProblemType::kSingleLabel, {0})[0].score, 0.5, 1e-7) << "whatever the type says";
}

TEST(Scores, NeedALabelForEachOutput) {
  ModelConfig config;
  config.labels = {"a", std::nullopt};
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidFile,
                           [&] {
                             label_scores(config, {.rows = 1, .outputs = 2, .values = {1, 2}});
                           }),
            "'config.json': id2label: no label for 1, expected one for each of the head's 2 outputs, from 0");
}

TEST(Scores, AreOfAsManyOutputsAsThereAreLabels) {
  const ModelConfig config;  // has two labels
  for (const Logits& wrong :
       {Logits{1, 3, {1, 2, 3}}, Logits{1, 1, {1}}, Logits{2, 2, {1, 2, 3, 4}}, Logits{1, 2, {1}}}) {
    EXPECT_NE(test::error_of(ErrorCode::kInvalidArgument, [&] { label_scores(config, wrong); }).find("expected [1, 2]"),
              std::string::npos);
  }
}

TEST(Scores, RankDocumentsAsTheReference) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-rerank");
  const Model model = Model::load(folder.string());
  size_t cases = 0;
  for (const test::Json& c : test::pipeline_cases(folder)) {
    std::vector<Encoding> encodings;
    for (const test::Json& document : c["documents"]) {
      const std::string query = c["query"], text = document["text"];
      encodings.push_back(text.empty() ? model.tokenizer().tokenize(query, {.max_length = 128})
                                       : model.tokenizer().tokenize(query, text, {.max_length = 128}));
      EXPECT_EQ(encodings.back().ids, document["input_ids"].get<std::vector<int32_t>>());
      EXPECT_EQ(encodings.back().type_ids, document["token_type_ids"].get<std::vector<int32_t>>());
    }
    const std::vector<Logits> logits = test::logits_of(model, Head::kSequenceClassification, encodings);
    std::vector<double> scores;
    for (size_t i = 0; i < logits.size(); ++i) {
      scores.push_back(label_scores(model.config(), logits[i])[0].score);
      EXPECT_NEAR(logits[i].values[0], c["documents"][i]["logit"].get<double>(), 1e-5);
      EXPECT_NEAR(scores[i], c["documents"][i]["score"].get<double>(), 1e-5);
    }
    std::vector<size_t> order(scores.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return scores[a] > scores[b]; });
    EXPECT_EQ(order, c["order"].get<std::vector<size_t>>()) << c["id"];
    cases += c["documents"].size();
  }
  EXPECT_EQ(cases, 96u);
}

TEST(Scores, ClassifyTheSst2DevelopmentSetAsTheReference) {
  BERT_TEST_DATA_OR_SKIP(folder, "checkpoint/bert-tiny-own-sst2");
  BERT_TEST_DATA_OR_SKIP(eval, "eval/sst2_dev.own-bert-tiny-sst2.jsonl");
  const Model model = Model::load(folder.string());
  std::vector<test::Json> lines;
  std::vector<Encoding> encodings;
  std::istringstream file(test::read_file(eval));
  for (std::string line; std::getline(file, line);) {
    lines.push_back(test::Json::parse(line));
    encodings.push_back(model.tokenizer().tokenize(lines.back()["text"].get<std::string>()));
    EXPECT_EQ(encodings.back().ids, lines.back()["ids"].get<std::vector<int32_t>>());
  }
  ASSERT_EQ(lines.size(), 872u);
  const std::vector<Logits> logits = test::logits_of(model, Head::kSequenceClassification, encodings);
  size_t right = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    for (size_t label = 0; label < 2; ++label) {
      EXPECT_NEAR(logits[i].values[label], lines[i]["logits"][label].get<double>(), 1e-4) << i;
    }
    const std::string best = label_scores(model.config(), logits[i])[0].label;
    right += best == model.config().labels[lines[i]["label"].get<size_t>()];
  }
  EXPECT_EQ(right, 715u);  // the accuracy is 0.820 of 872 texts
}

}  // namespace
}  // namespace bert
