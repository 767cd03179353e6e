// Loads a model that a fitted classifier was added to: its logits are the regression's scores of the pooled output.
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

  // Returns a regression whose numbers no other part of the model has.
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
    EXPECT_EQ(write_classifier(source(), directory, {made, {names.begin(), names.begin() + static_cast<long>(labels)}}),
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

// Calculates the regression's input rows from the hidden states of the whole model.
TEST_F(ClassifierDirectoryTest, ComputesTheRegressionOfAPooledLayer) {
  const Model whole = load({.layers = 3, .pooler = false});
  const EncodedText encoded = whole.encode(kFox, EncodeOptions{.hidden_states = true});
  const std::vector<float> row = pooled_layer(encoded, 2, PoolingMode::kMax);
  const LogisticRegression made = regression(3);
  EXPECT_TRUE(
      write_classifier(source(), result("max"), {made, {"a", "b", "c"}, PoolingMode::kMax}, {.layers = 2}).empty());
  const Model model = Model::load(result("max"));
  EXPECT_EQ(model.config().num_hidden_layers, 2u);
  EXPECT_EQ(model.heads(), std::vector<Head>{Head::kSequenceClassification});
  EXPECT_EQ(model.max_length(), whole.max_length());
  EXPECT_EQ(model.describe().tensors.size(), 5u + 2 * 16u);
  const TokenSequence sequence = model.sequence(encoded.encoding);
  const Logits logits = model.logits(Head::kSequenceClassification, {&sequence, 1}).front();
  const LogitsSizes sizes = model.logits_sizes(Head::kSequenceClassification, sequence);
  EXPECT_EQ(sizes.rows, logits.rows);
  ASSERT_EQ(sizes.outputs, logits.outputs);
  for (size_t v = 0; v < 3; ++v) {
    double score = made.intercepts[v];
    for (size_t i = 0; i < 24; ++i) score += made.weights[v * 24 + i] * double{row[i]};
    EXPECT_NEAR(logits.values[v], score, 1e-5) << v;
  }
  EXPECT_NE(test::error_of([&] { model.embed(kFox); }).find("the scores of a classifier's labels"), std::string::npos);
  EXPECT_NE(test::error_of([&] { model.require(Head::kMaskedLm); }).find("those for sequence classification"),
            std::string::npos);
  // Adds a classifier to a model that already has one: it is replaced.
  write_classifier(result("max"), result("cls"), {regression(2), {"x", "y"}, PoolingMode::kCls});
  EXPECT_EQ(Model::load(result("cls")).config().labels.size(), 2u);
}

TEST_F(ClassifierDirectoryTest, IsOfAnyFamily) {
  BERT_TEST_DATA_OR_SKIP(families, "family_modern");
  for (const char* name :
       {"family/roberta", "family/distilbert", "family/albert", "family/mpnet", "family_modern/deberta-v2",
        "family_modern/modernbert", "family_modern/nomic-bert", "family_modern/eurobert", "family_modern/gte"}) {
    const std::filesystem::path path = families.parent_path() / name;
    SCOPED_TRACE(name);
    const size_t width = Model::load(path.string()).config().hidden_size;
    const std::string directory = result(std::filesystem::path(name).filename().c_str());
    write_classifier(path.string(), directory, {regression(3, width), {"a", "b", "c"}, PoolingMode::kMean},
                     {.layers = 1});
    const Model model = Model::load(directory), first = Model::load(path.string(), {.layers = 1});
    EXPECT_EQ(model.config().num_hidden_layers, 1u);
    const std::vector<int32_t> ids = {5, 6, 7, 8};
    const TokenSequence sequence{ids};
    EXPECT_TRUE(test::same_bits(model.encode({&sequence, 1})[0].last_hidden_state,
                                first.encode({&sequence, 1})[0].last_hidden_state));
    EXPECT_EQ(model.logits(Head::kSequenceClassification, {&sequence, 1})[0].outputs, 3u);
  }
}

TEST_F(ClassifierDirectoryTest, NamesTheOutputsThatConfigJsonDoesNot) {
  load();
  write_classifier(source(), result("three"), {regression(3), {"a", "b", "c"}, PoolingMode::kMean});
  std::filesystem::copy_file(directory_.path() / "config.json", std::filesystem::path(result("three")) / "config.json",
                             std::filesystem::copy_options::overwrite_existing);
  const Model model = Model::load(result("three"));
  EXPECT_EQ(model.config().labels[2], "LABEL_2");
  EXPECT_EQ(model.notices().back(),
            "config.json has 2 labels and the last module has 3 outputs: the labels are LABEL_0, LABEL_1, …");
}

TEST_F(ClassifierDirectoryTest, RefusesModelsWhoseClassifierSeesSomethingElse) {
  load();
  const auto refusal = [&](const std::string& model, const LogisticRegression& made) {
    return test::error_of([&] { write_classifier(model, result("never"), {made, {"a", "b"}}); });
  };
  EXPECT_NE(refusal(source(), regression(3)).find("a regression of 3 labels on 24 numbers, expected 2 labels"),
            std::string::npos);
  EXPECT_EQ(test::error_of([&] { check_classifier(Model::load(source()), PoolingMode::kPooler); }),
            "pooling pooler of a classifier, expected one of the tokens' vectors");
  EXPECT_NE(refusal(source(), regression(2, 23)).find("on 23 numbers, expected 2 labels on the 24"), std::string::npos);
  quantize(source(), result("int8"), SmallWeights::kInt8);
  EXPECT_NE(refusal(result("int8"), regression(2)).find("has 8-bit weights, expected a model of plain"),
            std::string::npos);
  load({.pooler = false});
  EXPECT_NE(refusal(source(), regression(2)).find("has no pooler, whose output the classifier of the family 'bert'"),
            std::string::npos);
  EXPECT_NE(
      refusal(source(), regression(2)).find("with pooler.dense, or a pooling of the tokens' vectors, such as mean"),
      std::string::npos);
  BERT_TEST_DATA_OR_SKIP(roberta, "family/roberta");
  EXPECT_NE(refusal(roberta.string(), regression(2)).find("the family 'roberta' is more than one layer"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(result("never")));
}

}  // namespace
}  // namespace bert
