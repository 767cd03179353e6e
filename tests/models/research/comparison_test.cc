// What the program makes of it is in tests/tools/cli/commands/comparison_test.cc, with numbers of real models.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bert/compare.h"
#include "bert/vectors.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/tiny_gliner.h"

namespace bert {
namespace {

// The call throws an Error of this code whose message has `part`.
template <class Call>
void expect_refused(ErrorCode code, const Call& call, const std::string& part) {
  const std::string message = test::refusal(code, call);
  EXPECT_FALSE(message.empty());
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

class ModelComparisonTest : public test::TinyModelTest {
 protected:
  ModelComparisonTest() {
    write_tiny_model(directory_);
    write_tiny_model(changed_, {}, [](test::TinyTensors& tensors) {
      tensors.at("encoder.layer.1.output.dense.weight").values[3] += 0.5f;
    });
  }
  Model reference() const { return Model::load(directory_.path().string()); }
  Model changed() const { return Model::load(changed_.path().string()); }

  static std::vector<TextItem> items(const std::vector<std::string>& texts) {
    std::vector<TextItem> items;
    for (const std::string& text : texts) items.push_back({.text = text});
    return items;
  }

  test::TemporaryDirectory changed_;
  const std::vector<std::string> texts_ = {"the fox", "a dog jumps over the fox", "the lazy dog"};
};

TEST_F(ModelComparisonTest, MeasuresVectorsAndLayers) {
  const Model model = changed(), expected = reference();
  const ModelComparison result = compare_models(model, expected, items(texts_));
  ASSERT_EQ(result.texts, 3u);
  size_t least = 0;
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(result.cosines[i], cosine_similarity(model.embed(texts_[i]), expected.embed(texts_[i])), 1e-12);
    if (result.cosines[i] < result.cosines[least]) least = i;
  }
  EXPECT_EQ(result.least_similar, least);
  EXPECT_EQ(result.neighbours, 1u);
  ASSERT_EQ(result.layers.size(), 3u);
  EXPECT_EQ(result.layers[1].distance, 0);
  EXPECT_GT(result.layers[2].loss, 0);
  EXPECT_EQ(result.layers[2].loss, result.layers[2].distance);
  EXPECT_FALSE(result.pairs || result.labels);
}

TEST_F(ModelComparisonTest, LeavesOutTextsThatFail) {
  std::vector<TextItem> given = items(texts_);
  given[0] = {.ids = std::vector<int32_t>{2, 99}};
  std::vector<bool> failed;
  const ModelComparison result = compare_models(
      changed(), reference(), given, {.seen = [&](const TextResult& one) { failed.push_back(one.error.has_value()); }});
  EXPECT_EQ(failed, (std::vector<bool>{true, false, false}));
  EXPECT_EQ(result.texts, 2u);
  EXPECT_GT(result.least_similar, 0u);
  expect_refused(
      ErrorCode::kInvalidArgument, [&] { compare_models(changed(), reference(), std::span(given).first(1)); },
      "no text");
}

TEST_F(ModelComparisonTest, CorrelatesPairsWithTheirScores) {
  const Model model = changed(), expected = reference();
  ComparisonOptions options;
  for (const std::string& text : texts_) {
    options.pairs.push_back({text, "a fox", cosine_similarity(expected.embed(text), expected.embed("a fox"))});
  }
  const ModelComparison result = compare_models(model, expected, items(texts_), options);
  ASSERT_TRUE(result.pairs);
  EXPECT_EQ(result.pairs->pairs, 3u);
  EXPECT_EQ(result.pairs->reference_spearman, 1);
  EXPECT_LE(std::abs(result.pairs->spearman), 1);
}

TEST_F(ModelComparisonTest, CountsEntities) {
  const test::TemporaryDirectory source;
  write_tiny_gliner(source);
  const Model model = Model::load(source.path().string());
  const ModelComparison result =
      compare_models(model, model, items(texts_), {.labels = {"dog", "fox"}, .threshold = 0.05});
  ASSERT_TRUE(result.labels && result.labels->entities);
  EXPECT_GT(result.labels->entities->reference, 0u);
  EXPECT_EQ(result.labels->entities->lost + result.labels->entities->found, 0u);
  EXPECT_EQ(result.labels->largest_change, 0);
}

TEST_F(ModelComparisonTest, RefusesModelsThatAreNotTwoFormsOfOne) {
  expect_refused(
      ErrorCode::kInvalidArgument, [&] { compare_models(changed(), reference(), items(texts_), {.labels = {"dog"}}); },
      "the model reads no labels");
  write_tiny_model(changed_, {.layers = 3});
  expect_refused(
      ErrorCode::kInvalidArgument, [&] { compare_models(changed(), reference(), items(texts_)); },
      "the models differ in their number of layers, 3 and 2; expected the same model in two forms");
  write_tiny_model(changed_);
  std::string words = test::tiny_vocabulary(40);
  words.replace(words.find("\nthe\n"), 5, "\neht\n");
  changed_.write("vocab.txt", words);
  expect_refused(
      ErrorCode::kInvalidArgument,
      [&] {
        compare_models(changed(), reference(), items({"dog", "the dog"}));
      },
      "text 2: the models have other tokens for it, expected the same tokenizer");
}

}  // namespace
}  // namespace bert
