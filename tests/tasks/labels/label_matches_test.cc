// Tests tasks of a pipeline that read labels: when two tasks are equal, when labels are encoded, and when results are
// stored.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bert/labels.h"
#include "bert/text_pipeline.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_gliner.h"

namespace bert {
namespace {

TEST(LabelMatches, AreOfTasksThatAreEqualWhereTheirRequestsAre) {
  const TextTask entities = LabelRequest{.labels = {"dog"}}, classes = ClassRequest{.labels = {"dog"}};
  EXPECT_EQ(entities, TextTask(LabelRequest{.labels = {"dog"}}));
  EXPECT_NE(entities, TextTask(LabelRequest{.labels = {"fox"}}));
  EXPECT_NE(entities, TextTask(LabelRequest{.labels = {"dog"}, .nested = true}));
  EXPECT_NE(entities, classes);
  EXPECT_NE(entities, TextTask(VectorRequest{}));
  EXPECT_TRUE(std::get<ModelTaskPtr>(entities)->finds_entities());
  EXPECT_FALSE(std::get<ModelTaskPtr>(classes)->finds_entities());
}

// A task that was moved from still equals the task that it was.
TEST(LabelMatches, AreOfATaskThatIsNeverNull) {
  TextTask task = LabelRequest{.labels = {"dog"}};
  const TextTask moved = std::move(task);
  EXPECT_EQ(task, moved);  // NOLINT(bugprone-use-after-move)
}

TEST(LabelMatches, AsksBeforeItStoresEntitiesAndLeavesThoseOfARefusedText) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliner(directory);
  const Model model = Model::load(directory.path().string());
  const LabelRequest request{.labels = {"dog", "fox"}, .threshold = 0, .nested = true, .multi_label = true};
  const std::string texts[] = {"the fox", "the lazy dog jumps", "a fox"};
  std::vector<OutputSize> asked(3);
  const TextTaskRunner runner(model, request, {.reserve = [&](const TextResult& result, const OutputSize& size) {
                                EXPECT_TRUE(std::holds_alternative<std::monostate>(result.output));
                                asked[result.input.index] = size;
                                return result.input.index != 1;
                              }});
  std::vector<TextResult> results;
  for (const std::string& text : texts) {
    results.push_back(std::move(runner.cut({.text = text}, results.size()).front()));
  }
  TextResult* const pass[] = {&results[0], &results[1], &results[2]};
  runner.compute(pass);
  for (size_t i = 0; i < 3; ++i) {
    const std::vector<Entity> expected = find_entities(model, texts[i], request);
    size_t bytes = 0;
    for (const Entity& entity : expected) bytes += entity.entity.size() + entity.word.size();
    EXPECT_GT(expected.size(), 3u);
    EXPECT_EQ(asked[i].items, expected.size());
    EXPECT_EQ(asked[i].text_bytes, bytes);
    const auto* const found = std::get_if<std::vector<Entity>>(&results[i].output);
    EXPECT_EQ(found == nullptr ? 0 : found->size(), i == 1 ? 0 : expected.size());
  }
  ASSERT_TRUE(results[1].error);
  EXPECT_EQ(results[1].error->code(), ErrorCode::kOutOfMemory);
  EXPECT_EQ(test::refusal(ErrorCode::kOutOfMemory,
                          [&] {
                            run_one(model, request, {.text = "a fox"},
                                    {.reserve = [](const TextResult&, const OutputSize&) { return false; }});
                          }),
            "not enough memory for the " + std::to_string(asked[2].items) + " results of this text");
}

// The labels' encoder runs its own forward passes. They must not wait for the text's passes, which wait for the labels'
// vectors.
TEST(LabelMatches, EncodesLabelsInARuntimeOfOnePass) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliner(directory, {.encodes_labels = true});
  const std::string path = directory.path().string();
  const LabelRequest request{.labels = {"dog", "fox"}, .threshold = 0, .nested = true};
  const Runtime runtime({.threads = 1});
  const Model model = Model::load(path, {.runtime = runtime});
  const std::vector<Entity> entities = find_entities(model, "the fox jumps", request);
  const std::vector<Entity> expected = find_entities(Model::load(path), "the fox jumps", request);
  ASSERT_EQ(entities.size(), expected.size());
  for (size_t i = 0; i < entities.size(); ++i) EXPECT_EQ(entities[i].score, expected[i].score);
}

}  // namespace
}  // namespace bert
