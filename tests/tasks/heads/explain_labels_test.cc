// Compares the scores of labels without a word with the scores for the ids that remain without that word.
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bert/explain.h"
#include "bert/tasks.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

TextResult cut(const Model& model, TextItem item) {
  const TextTaskRunner runner(model, HeadOptions{.head = Head::kSequenceClassification});
  return std::move(runner.cut(std::move(item)).front());
}

std::vector<double> scores_of_ids(const Model& model, const TextResult& text, const TextWord& word) {
  std::vector<int32_t> ids = text.tokens.encoding.ids, types = text.tokens.encoding.type_ids;
  for (std::vector<int32_t>* values : {&ids, &types}) {
    const auto begin = values->begin() + static_cast<std::ptrdiff_t>(word.first);
    values->erase(begin, begin + static_cast<std::ptrdiff_t>(word.tokens));
  }
  if (model.config().type_vocab_size == 1) types.clear();
  const TokenSequence one{.ids = ids, .type_ids = types};
  const Logits logits = model.logits(Head::kSequenceClassification, {&one, 1}).front();
  std::vector<double> scores(model.config().labels.size());
  for (const LabelScore& label : label_scores(model.config(), logits)) {
    for (size_t i = 0; i < scores.size(); ++i) {
      if (model.config().labels[i] == label.label) scores[i] = label.score;
    }
  }
  return scores;
}

// The model's directory has no tokenizer, so the test adds a vocabulary.
TEST(ExplainLabels, EqualRunsOnTheIdsWithoutAWord) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/bert-sequence-single");
  const test::TemporaryDirectory directory;
  for (const char* file : {"config.json", "model.safetensors"}) {
    std::filesystem::copy(folder / file, directory.path() / file);
  }
  directory.write("vocab.txt", test::tiny_vocabulary(40));
  const Model model = Model::load(directory.path().string());
  for (const auto& [text, pair] : std::vector<std::pair<std::string, std::optional<std::string>>>{
           {"The quick brown fox jumps", std::nullopt}, {"the lazy dogs", "i like coding, foxs"}}) {
    const TextResult result = cut(model, {.text = text, .pair = pair});
    const LabelExplanation why = explain_labels(model, result);
    const size_t labels = why.labels.size();
    ASSERT_EQ(labels, model.config().labels.size());
    ASSERT_EQ(why.without.size(), why.text.words.size() * labels);
    for (size_t label = 0; label < labels; ++label) {
      double rest = why.scores[label];
      for (size_t word = 0; word < why.text.words.size(); ++word) {
        EXPECT_EQ(why.without[word * labels + label], scores_of_ids(model, result, why.text.words[word])[label]);
        rest -= why.term(word, label);
      }
      EXPECT_NEAR(why.remainders[label], rest, 1e-12);
    }
  }
}

TEST(ExplainLabels, TheRelevanceIsTheRerankersScore) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-rerank");
  const Model model = Model::load(folder.string());
  const Reranker reranker(model);
  const TextResult pair = cut(model, {.text = "how do wings lift?", .pair = "Birds fly."});
  const LabelExplanation why = explain_relevance(model, pair);
  EXPECT_NEAR(why.scores[0], 0.296681, 2e-6);  // from sentence-transformers, as in rerank_test.cc
  ASSERT_GT(why.text.words.size(), 5u);
  EXPECT_EQ(why.text.words.front().sequence, 0);
  EXPECT_EQ(why.text.words.back().sequence, 1);
  EXPECT_EQ(why.without[0], scores_of_ids(model, pair, why.text.words[0])[0]);
}

TEST(ExplainLabels, TheRelevanceNeedsOneLabel) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/bert-sequence-single");
  const Model model = Model::load(folder.string());
  EXPECT_NE(
      test::error_of(ErrorCode::kInvalidArgument, [&] { explain_relevance(model, cut(model, {.text = "a bird"})); })
          .find("expected one"),
      std::string::npos);
}

}  // namespace
}  // namespace bert
