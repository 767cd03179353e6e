// Tests the classifier's checks, predictions and held-out folds; logistic_regression_test.cc tests its solver.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "bert/fit.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

TEST(FittedClassifier, PredictsTheLabelWithTheHighestScore) {
  // The expected labels are calculated by hand, for a regression with one vector and for one with three.
  const std::vector<float> rows = {1, 0, 0, 1, -1, 0, 0, 0};
  const LogisticRegression two{.labels = 2, .width = 2, .weights = {1, -1}, .intercepts = {0}};
  EXPECT_EQ(predict_labels(two, rows), (std::vector<uint32_t>{1, 0, 0, 0}));
  const LogisticRegression three{
      .labels = 3, .width = 2, .weights = {1, 0, 0, 2, -1, 0}, .intercepts = {-0.5, -0.5, -0.25}};
  EXPECT_EQ(predict_labels(three, rows), (std::vector<uint32_t>{0, 1, 2, 2}));
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { predict_labels(two, std::vector<float>{1}); }),
            "1 numbers, expected rows of 2");
}

// The label is the sign of the first number. In one fold the labels are exchanged, and only its rows are predicted
// wrongly.
TEST(FittedClassifier, IsJudgedOnRowsThatItHasNotSeen) {
  std::vector<float> rows;
  std::vector<uint32_t> labels;
  for (int i = 0; i < 40; ++i) {
    const uint32_t label = static_cast<uint32_t>(i) % 2;
    rows.push_back((label == 1 ? 1.0f : -1.0f) * (1 + 0.01f * static_cast<float>(i)));
    rows.push_back(static_cast<float>(i % 3));
    labels.push_back(label);
  }
  const LabelledRows data{.rows = rows, .width = 2, .labels = labels, .label_count = 2};
  EXPECT_EQ(held_out_accuracy(data, 5), 1);
  EXPECT_EQ(predict_labels(fit_logistic_regression(data), rows), labels);
  // Every fifth row of each label is in the first fold: rows 0, 1, 10, 11, …
  for (size_t i = 0; i < labels.size(); ++i) {
    if (i / 2 % 5 == 0) labels[i] = 1 - labels[i];
  }
  EXPECT_DOUBLE_EQ(held_out_accuracy(data, 5), 0.8);
}

// The first kind of features predicts the label of every row, the second of no row.
TEST(FittedClassifier, ChoosesTheFeaturesThatDoBestOnRowsThatItHasNotSeen) {
  std::vector<float> good, bad;
  std::vector<uint32_t> labels;
  for (int i = 0; i < 40; ++i) {
    labels.push_back(static_cast<uint32_t>(i) % 2);
    good.push_back(labels.back() == 1 ? 1.0f : -1.0f);
    bad.push_back(static_cast<float>(i / 2 % 3));
  }
  const LabelledRows kinds[] = {{good, 1, labels, 2}, {bad, 1, labels, 2}};
  const FeatureChoice choice = choose_features(kinds, 5);
  EXPECT_EQ(choice.best, 0u);
  EXPECT_EQ(choice.accuracy, 1);
  EXPECT_EQ(choice.accuracies, (std::vector<double>{held_out_accuracy(kinds[0], 5), held_out_accuracy(kinds[1], 5)}));
  // The last of equally good kinds is chosen.
  const LabelledRows equal[] = {kinds[0], kinds[0], kinds[1]};
  EXPECT_EQ(choose_features(equal, 5).best, 1u);
}

// Of twelve kinds of random features, one seems better by chance. With nested folds it does not.
TEST(FittedClassifier, IsNotFlatteredByTheNumberOfFeatures) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<uint32_t> labels;
  for (int i = 0; i < 60; ++i) labels.push_back(static_cast<uint32_t>(i) % 2);
  double highest = 0, nested = 0;
  for (int run = 0; run < 10; ++run) {
    std::vector<std::vector<float>> values(12, std::vector<float>(labels.size() * 3));
    std::vector<LabelledRows> kinds;
    for (std::vector<float>& rows : values) {
      for (float& value : rows) value = normal(random);
      kinds.push_back({rows, 3, labels, 2});
    }
    const FeatureChoice choice = choose_features(kinds, 5);
    highest += choice.accuracies[choice.best] / 10;
    nested += choice.accuracy / 10;
  }
  EXPECT_GT(highest, 0.6);
  EXPECT_LT(nested, 0.55);
}

TEST(FittedClassifier, RefusesWhatCannotBeFitted) {
  const std::vector<float> rows = {1, 2, 3, 4};
  const std::vector<uint32_t> labels = {0, 1};
  const auto refusal = [&](const LabelledRows& data, double c) {
    return test::error_of(ErrorCode::kInvalidArgument, [&] { fit_logistic_regression(data, c); });
  };
  EXPECT_EQ(refusal({rows, 2, labels, 2}, 0), "c 0.000000, expected a number above 0");
  EXPECT_EQ(refusal({rows, 3, labels, 2}, 1), "4 numbers for 2 labels, expected rows of 3");
  EXPECT_EQ(refusal({rows, 2, labels, 1}, 1), "1 label or none, expected two or more to tell apart");
  EXPECT_EQ(refusal({rows, 2, labels, 3}, 1), "no row of label 2, expected one or more");
  const std::vector<uint32_t> wrong = {0, 2};
  EXPECT_EQ(refusal({rows, 2, wrong, 2}, 1), "label 2, expected one below 2");
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument,
                           [&] {
                             held_out_accuracy({rows, 2, labels, 2}, 1);
                           }),
            "1 folds, expected two or more");
  const LabelledRows kinds[] = {{rows, 2, labels, 2}};
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { choose_features(kinds, 2); }),
            "2 folds, expected three or more");
  // Each label has one row. If a fold holds that row out, the other rows do not have the label.
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument,
                           [&] {
                             held_out_accuracy({rows, 2, labels, 2}, 2);
                           }),
            "no row of label 0, expected one or more");
}

}  // namespace
}  // namespace bert
