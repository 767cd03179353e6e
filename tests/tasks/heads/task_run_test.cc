// Tests runs of a task over inputs: their order, the query, errors and counts.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bert/task_calls.h"
#include "tests/support/expect_error.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

TEST(TaskRun, GivesTheResultsOfInputsInOrder) {
  const test::TemporaryDirectory directory;
  test::write_tiny_classifier(directory, {"contradiction", "neutral", "entailment"});
  const Model model = Model::load(directory.path().string());
  const std::vector<std::string> labels = {"a", "the dog"};
  const TaskCallPtr call = zero_shot_call(model, labels);
  std::string long_text;
  for (int i = 0; i < 60; ++i) long_text += "fox ";
  const TextItem inputs[] = {
      {.text = "the fox"}, {.text = "bad", .error = Error(ErrorCode::kInvalidText, "no")}, {.text = long_text}};
  TextItems source(inputs);
  TaskRun run(model, *call, source, text_options(model, *call, {}));
  ASSERT_TRUE(run.next());
  EXPECT_EQ(run.query(), nullptr);
  EXPECT_EQ(run.sequences().size(), 2u);  // one item per label
  EXPECT_EQ(std::get<std::vector<LabelScore>>(run.result()).size(), 2u);
  EXPECT_EQ(run.truncated_tokens(), 0u);
  ASSERT_TRUE(run.next());
  ASSERT_TRUE(run.error());
  EXPECT_EQ(run.error()->what(), std::string("no"));
  ASSERT_TRUE(run.next());
  EXPECT_FALSE(run.error());
  // The count is that of the hypothesis that leaves the least room for the text.
  size_t most = 0;
  for (const TextResult& one : run.sequences()) most = std::max(most, one.tokens.encoding.truncated_tokens);
  EXPECT_GT(most, 0u);
  EXPECT_EQ(run.truncated_tokens(), most);
  EXPECT_FALSE(run.next());
  EXPECT_FALSE(run.next());
}

TEST(TaskRun, ReadsAQueryOnceAndEndsWithItsError) {
  const Model model = Model::builtin();
  const TextItem inputs[] = {{.text = "a puppy"}, {.text = "a violin"}};
  const TaskCallPtr call = rerank_call(model, Reranker(model), "a dog");
  TextItems source(inputs);
  TaskRun run(model, *call, source, text_options(model, *call, {}));
  std::vector<double> scores;
  while (run.next()) {
    ASSERT_NE(run.query(), nullptr);
    scores.push_back(std::get<Relevance>(run.result()).score);
  }
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_GT(scores[0], scores[1]);

  const TaskCallPtr broken = rerank_call(model, Reranker(model), "\xff");
  TextItems again(inputs);
  TaskRun none(model, *broken, again, text_options(model, *broken, {}));
  test::error_of(ErrorCode::kInvalidText, [&] { none.next(); });
}

}  // namespace
}  // namespace bert
