// A model with a fitted classifier, loaded again: its logits are the regression's scores of the pooled output.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "bert/fit.h"
#include "bert/quantize.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/compare.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

class ClassifierDirectoryTest : public test::TinyModelTest {
 protected:
  std::string source() const { return directory_.path().string(); }
  std::string result(const char* name) const { return (results_.path() / name).string(); }

  // Numbers that no other part of the model has.
  static LogisticRegression regression(size_t labels, size_t width = 24) {
    const size_t vectors = labels == 2 ? 1 : labels;
    LogisticRegression made{.labels = labels, .width = width, .weights = {}, .intercepts = {}};
    for (size_t i = 0; i < vectors * width; ++i) made.weights.push_back(static_cast<double>(i % 7) / 8 - 0.25);
    for (size_t v = 0; v < vectors; ++v) made.intercepts.push_back(0.5 - static_cast<double>(v));
    return made;
  }

  test::TemporaryDirectory results_;
};

constexpr std::string_view kFox = "the quick brown fox jumps over the lazy dog";

TEST_F(ClassifierDirectoryTest, ComputesTheRegressionOfThePooledOutput) {
  const Model base = load({}, [](test::TinyTensors& tensors) {
    tensors["cls.seq_relationship.weight"] = {{2, 24}, std::vector<float>(48, 1)};
    tensors["cls.seq_relationship.bias"] = {{2}, {1, 1}};
  });
  directory_.write("notes.bin", "not a part of a model");
  const EncodedText encoded = base.encode(kFox);
  for (const size_t labels : {size_t{2}, size_t{3}}) {
    const std::vector<std::string> names = {"bad", "so \"so\"", "good"};
    const LogisticRegression made = regression(labels);
    const std::string directory = result(labels == 2 ? "two" : "three");
    EXPECT_EQ(write_classifier(source(), directory, made, {names.begin(), names.begin() + static_cast<long>(labels)}),
              std::vector<std::string>{"notes.bin"});
    const Model model = Model::load(directory);
    EXPECT_EQ(model.config().architectures, std::vector<std::string>{"BertForSequenceClassification"});
    EXPECT_EQ(model.config().labels.size(), labels);
    EXPECT_EQ(model.config().labels[1], "so \"so\"");
    EXPECT_EQ(model.config().problem_type, ProblemType::kSingleLabel);
    EXPECT_TRUE(test::same_bits(model.encode(kFox).pooler_output, encoded.pooler_output));
    const TokenSequence sequence = model.sequence(encoded.encoding);
    const std::vector<float> logits = model.logits(Head::kSequenceClassification, {&sequence, 1}).front().values;
    ASSERT_EQ(logits.size(), labels);
    std::vector<double> scores;
    for (size_t v = 0; v < made.intercepts.size(); ++v) {
      scores.push_back(made.intercepts[v]);
      for (size_t i = 0; i < 24; ++i) scores.back() += made.weights[v * 24 + i] * double{encoded.pooler_output[i]};
    }
    if (labels == 2) {
      EXPECT_NEAR(double{logits[1]} - double{logits[0]}, scores[0], 1e-6);
    } else {
      for (size_t v = 0; v < labels; ++v) EXPECT_NEAR(logits[v], scores[v], 1e-6) << v;
    }
  }
}

TEST_F(ClassifierDirectoryTest, RefusesModelsWhoseClassifierSeesSomethingElse) {
  load();
  const auto refusal = [&](const std::string& model, const LogisticRegression& made) {
    return test::error_of([&] { write_classifier(model, result("never"), made, {"a", "b"}); });
  };
  EXPECT_NE(refusal(source(), regression(3)).find("a regression of 3 labels on 24 numbers, expected 2 labels"),
            std::string::npos);
  EXPECT_NE(refusal(source(), regression(2, 23)).find("on 23 numbers, expected 2 labels on the 24"), std::string::npos);
  quantize(source(), result("int8"), SmallWeights::kInt8);
  EXPECT_NE(refusal(result("int8"), regression(2)).find("has 8-bit weights, expected a model of plain"),
            std::string::npos);
  load({.pooler = false});
  EXPECT_NE(refusal(source(), regression(2)).find("has no pooler, whose output the classifier of the family 'bert'"),
            std::string::npos);
  BERT_TEST_DATA_OR_SKIP(roberta, "family/roberta");
  EXPECT_NE(refusal(roberta.string(), regression(2)).find("the family 'roberta' is more than one layer"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(result("never")));
}

}  // namespace
}  // namespace bert
