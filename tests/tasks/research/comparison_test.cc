// Tests the comparison of two models. tests/program/cli/commands/comparison_test.cc tests the program's report, with
// real models.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "bert/compare.h"
#include "bert/labels.h"
#include "bert/vectors.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/tiny_gliner.h"

namespace bert {
namespace {

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
  double distance = 0, largest = 0;
  for (const std::string& text : texts_) {
    const std::vector<float> found = model.encode(text).last_hidden_state;
    const std::vector<float> given = expected.encode(text).last_hidden_state;
    const size_t hidden = expected.config().hidden_size;
    for (size_t token = 0; token * hidden < given.size(); ++token) {
      double squares = 0, norm = 0;
      for (size_t i = token * hidden; i < (token + 1) * hidden; ++i) {
        const double difference = std::abs(double{found[i]} - double{given[i]});
        squares += difference * difference;
        norm += double{given[i]} * double{given[i]};
        largest = std::max(largest, difference);
      }
      distance += std::sqrt(squares / norm);
    }
  }
  EXPECT_NEAR(result.layers[2].loss, distance / static_cast<double>(result.tokens), 1e-12);
  EXPECT_EQ(result.layers[2].loss, result.layers[2].distance);
  EXPECT_NEAR(result.layers[2].difference, largest, 1e-12);
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
  test::expect_refused(
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

TEST_F(ModelComparisonTest, CountsEntitiesLostAndFound) {
  const test::TemporaryDirectory source;
  write_tiny_gliner(source);
  const Model expected = Model::load(source.path().string());
  const Model model = Model::load(source.path().string(), {.precision = Precision::kInt8});
  using Entities = std::map<std::tuple<std::string, size_t, size_t, std::string>, double>;  // each entity's score
  const auto entities_of = [&](const Model& one) {
    Entities found;
    for (const std::string& text : texts_) {
      for (const Entity& entity : find_entities(one, text, {.labels = {"dog", "fox"}, .threshold = 0.05})) {
        found[{text, entity.start, entity.end, entity.entity}] = entity.score;
      }
    }
    return found;
  };
  const Entities before = entities_of(expected), after = entities_of(model);
  size_t kept = 0;
  double largest = 0;
  for (const auto& [one, score] : before) {
    const auto same = after.find(one);
    if (same == after.end()) continue;
    ++kept;
    largest = std::max(largest, std::abs(same->second - score));
  }
  const ComparisonOptions options{.labels = {"dog", "fox"}, .threshold = 0.05};
  const ModelComparison result = compare_models(model, expected, items(texts_), options);
  ASSERT_TRUE(result.labels && result.labels->entities);
  EXPECT_GT(kept, 0u);
  EXPECT_EQ(result.labels->entities->reference, before.size());
  EXPECT_EQ(result.labels->entities->lost, before.size() - kept);
  EXPECT_EQ(result.labels->entities->found, after.size() - kept);
  EXPECT_EQ(result.labels->largest_change, largest);
  const ModelComparison same = compare_models(expected, expected, items(texts_), options);
  EXPECT_EQ(same.labels->entities->lost + same.labels->entities->found, 0u);
  EXPECT_EQ(same.labels->largest_change, 0);
}

TEST_F(ModelComparisonTest, RefusesModelsThatAreNotTwoFormsOfOne) {
  test::expect_refused(
      ErrorCode::kInvalidArgument, [&] { compare_models(changed(), reference(), items(texts_), {.labels = {"dog"}}); },
      "the model reads no labels");
  write_tiny_model(changed_, {.layers = 3});
  test::expect_refused(
      ErrorCode::kInvalidArgument, [&] { compare_models(changed(), reference(), items(texts_)); },
      "the models differ in their number of layers, 3 and 2; expected the same model in two forms");
  write_tiny_model(changed_);
  std::string words = test::tiny_vocabulary(40);
  words.replace(words.find("\nthe\n"), 5, "\neht\n");
  changed_.write("vocab.txt", words);
  test::expect_refused(
      ErrorCode::kInvalidArgument,
      [&] {
        compare_models(changed(), reference(), items({"dog", "the dog"}));
      },
      "text 2: the models have other tokens for it, expected the same tokenizer");
}

}  // namespace
}  // namespace bert
