// Tests tasks that tokenize, compute and decode in one call: the options and errors that the calls for the single steps
// do not have. tests/bindings/c/cases_test.cc tests the results of each task.
#include "bert/text_tasks.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/tiny_model.h"
#include "tests/tasks/heads/pipeline_cases.h"

namespace bert {
namespace {

const std::vector<std::string> kLabels = {"lovely", "a story"};

TEST(TextTasks, TagAllOfALongText) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-tagger");
  const Model model = Model::load(folder.string());
  std::string text;
  for (size_t i = 0; i < 400; ++i) text += "A bird is bathing in a sink. ";
  const std::vector<Entity> all = tag(model, text, {.aggregation = Aggregation::kNone});
  ASSERT_FALSE(all.empty());
  EXPECT_GT(all.back().end, text.size() - 30);
}

TEST(TextTasks, FillOnlyMasksAndTokens) {
  const Model model = Model::builtin();
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidText, [&] { fill_masks(model, "no mask"); }),
            "no mask, expected '[MASK]' in the text");
  std::string text = "a [MASK]";
  for (size_t i = 0; i < model.max_length(); ++i) text += " dog";
  EXPECT_EQ(fill_masks(model, text).size(), 1u);
  EXPECT_NE(test::error_of(ErrorCode::kInvalidText, [&] { fill_masks(model, text + " [MASK]"); })
                .find("1 of 2 masks ('[MASK]') are among the 5 tokens that were cut off, expected a shorter text"),
            std::string::npos);
  test::error_of(ErrorCode::kInvalidText, [&] { fill_masks(model, text, {.long_text = LongText::kError}); });
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { fill_masks(model, "[MASK]", {.targets = {"no such"}}); }),
            "target 'no such': not a token of the model's vocabulary");
}

TEST(TextTasks, RankDocumentsByTheirVectors) {
  const Model model = Model::builtin();
  const std::vector<std::string_view> documents = {"The stock market fell.", "A cat sat on the mat.",
                                                   "A cat sat on the mat."};
  const std::vector<RankedDocument> ranked = rerank(model, Reranker(model), "a cat on a mat", documents);
  ASSERT_EQ(ranked.size(), 3u);
  EXPECT_EQ(ranked[0].index, 1u);  // the first of equal ones
  EXPECT_EQ(ranked[1].index, 2u);
  EXPECT_EQ(ranked[0].score, ranked[1].score);
  EXPECT_EQ(ranked[0].score, cosine_similarity(model.embed("a cat on a mat"), model.embed(documents[1])));
  EXPECT_TRUE(rerank(model, Reranker(model), "a cat", {}).empty());
}

TEST(TextTasks, NameTheHeadThatAModelDoesNotHave) {
  const Model model = Model::builtin();
  for (const auto& call : {std::function<void()>([&] { tag(model, "a"); }),
                           {[&] { classify(model, "a"); }},
                           {[&] { zero_shot(model, "a", kLabels); }},
                           {[&] { answer(model, "a", "b"); }}}) {
    EXPECT_NE(test::error_of(ErrorCode::kNotFound, call).find("has no head for"), std::string::npos);
  }
}

}  // namespace
}  // namespace bert
