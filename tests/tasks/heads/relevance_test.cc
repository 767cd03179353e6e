// What a classifier's outputs say about a query and a document.
#include "tasks/heads/relevance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bert/tasks.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

ModelConfig config_of(const std::vector<std::string>& labels) {
  ModelConfig config;
  config.labels.assign(labels.begin(), labels.end());
  return config;
}

Relevance relevance_of(const ModelConfig& config, const std::vector<float>& values, size_t output = 0) {
  return relevance(config, {.rows = 1, .outputs = values.size(), .values = values}, output);
}

TEST(Relevance, FollowsTheActivationOfACrossEncoder) {
  const auto of = [](const std::string& activation, ProblemType problem = ProblemType::kUnspecified) {
    ModelConfig config = config_of({"LABEL_0"});
    config.activation_fn = activation;
    config.problem_type = problem;
    return relevance_of(config, {2});
  };
  const double sigmoid_of_2 = 0.88079707797788;
  EXPECT_NEAR(of("").score, sigmoid_of_2, 1e-12);
  EXPECT_EQ(of("").activation, "sigmoid");
  EXPECT_NEAR(of("", ProblemType::kRegression).score, sigmoid_of_2, 1e-12) << "as sentence-transformers 6.2";
  EXPECT_EQ(of("torch.nn.modules.linear.Identity").score, 2);
  EXPECT_EQ(of("torch.nn.modules.linear.Identity").activation, "identity");
  EXPECT_NEAR(of("torch.nn.modules.activation.Sigmoid", ProblemType::kRegression).score, sigmoid_of_2, 1e-12);
  EXPECT_EQ(test::error_of(ErrorCode::kUnsupported, [&] { of("mine.Identity"); }),
            "activation_fn 'mine.Identity' of the model's files is not supported, expected Identity or Sigmoid of "
            "torch.nn");
}

TEST(Relevance, TellsDocumentsApartWhoseScoresRoundTo1) {
  const ModelConfig config = config_of({"LABEL_0"});
  const Relevance good = relevance_of(config, {37.53f}), better = relevance_of(config, {38.36f});
  EXPECT_EQ(good.score, better.score);
  EXPECT_LT(good.logit, better.logit);
}

TEST(Relevance, OfTwoLabelsIsTheSoftmaxOfTheRelevantOne) {
  const ModelConfig config = config_of({"irrelevant", "Relevant"});
  EXPECT_EQ(relevant_output(config), 1u);
  const Relevance found = relevance_of(config, {0.25f, 1.75f}, 1);
  EXPECT_NEAR(found.score, std::exp(1.75) / (std::exp(0.25) + std::exp(1.75)), 1e-15);
  EXPECT_EQ(found.logit, 1.5);
  EXPECT_EQ(found.activation, "softmax");
  EXPECT_NEAR(relevance_of(config, {0.25f, 1.75f}, 0).score, 1 - found.score, 1e-15);
}

TEST(Relevance, OfLabelsThatDoNotSayWhichOneNeedsTheirName) {
  const ModelConfig config = config_of({"LABEL_0", "LABEL_1"});
  EXPECT_EQ(relevant_output(config, "LABEL_1"), 1u);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { relevant_output(config); }),
            "a classifier of the labels 'LABEL_0' and 'LABEL_1', expected one that is called 'relevant': name it "
            "(relevant_label, --relevant-label), or see the scores of both (classify --pair)");
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { relevant_output(config, "LABEL_2"); }),
            "relevant label 'LABEL_2', expected one of the model's: 'LABEL_0' and 'LABEL_1'");
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument,
                           [&] {
                             relevant_output(config_of({"a", "b", "relevant"}));
                           }),
            "a classifier of 3 labels, expected one or two: the relevance of a document (the command classify with "
            "--pair gives the scores of all)");
}

}  // namespace
}  // namespace bert
