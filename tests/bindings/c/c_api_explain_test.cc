// Tests bert/bert_explain.h: the terms equal those of bert/explain.h, and wrong calls are refused.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bert/bert_explain.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

class CApiExplain : public testing::Test {
 protected:
  ~CApiExplain() override {
    bert_explanation_free(why_);
    bert_model_free(model_);
  }
  void load(const char* directory) {
    ASSERT_EQ(bert_model_load(directory, nullptr, &model_), BERT_OK) << bert_error_message();
  }
  bert_explanation** fresh() {
    bert_explanation_free(why_);
    why_ = nullptr;
    return &why_;
  }
  std::vector<bert_item> parts(int which) const {
    const bert_item* data = bert_explanation_parts(why_, which);
    return {data, data + bert_explanation_part_count(why_, which)};
  }
  void expect_refused(bert_status expected, bert_status found, const char* words) {
    EXPECT_EQ(found, expected);
    EXPECT_NE(std::string(bert_error_message()).find(words), std::string::npos) << bert_error_message();
    EXPECT_EQ(why_, nullptr);
  }

  bert_model* model_ = nullptr;
  bert_explanation* why_ = nullptr;
};

TEST_F(CApiExplain, TokensHaveTheirPlacesAndWords) {
  load(nullptr);
  const std::string a = "é a cat", b = "🎻 the cats";
  bert_explain_options options = BERT_EXPLAIN_OPTIONS_INIT;
  options.offset_unit = BERT_UTF16;
  ASSERT_EQ(bert_explain_similarity(model_, {a.data(), a.size()}, {b.data(), b.size()}, &options, fresh()), BERT_OK)
      << bert_error_message();
  EXPECT_STREQ(bert_explanation_no_sum(why_), "");
  const std::vector<bert_item> first = parts(0), second = parts(1);
  EXPECT_EQ(first[1].index, 0u);  // the token é belongs to the first word
  const auto place_of = [](const std::vector<bert_item>& all, const std::string& token) {
    for (const bert_item& item : all) {
      if (item.text == token) return std::pair(item.start, item.end);
    }
    return std::pair(size_t{999}, size_t{999});
  };
  EXPECT_EQ(place_of(first, "cat"), (std::pair<size_t, size_t>(4, 7)));   // é has one unit
  EXPECT_EQ(place_of(second, "the"), (std::pair<size_t, size_t>(3, 6)));  // the violin has two units
  EXPECT_EQ(place_of(first, "[CLS]"), (std::pair<size_t, size_t>(0, 0)));
}

TEST_F(CApiExplain, OtherPoolingsLeaveWordsOut) {
  load(nullptr);
  bert_explain_options options = BERT_EXPLAIN_OPTIONS_INIT;
  options.pooling = BERT_POOLING_CLS;
  ASSERT_EQ(bert_explain_similarity(model_, {"a cat", 5}, {"the old cats", 12}, &options, fresh()), BERT_OK);
  EXPECT_EQ(bert_explanation_kind_of(why_), BERT_WORDS_LEFT_OUT);
  EXPECT_NE(std::string(bert_explanation_no_sum(why_)), "");
  ASSERT_EQ(parts(0).size(), 2u);
  ASSERT_EQ(parts(1).size(), 3u);
  EXPECT_STREQ(parts(1)[1].text, "old");
  EXPECT_EQ(parts(1)[1].start, 4u);
  EXPECT_EQ(parts(1)[1].end, 7u);
}

TEST_F(CApiExplain, AClassifiersLabelsForATextAndAPair) {
  const test::TemporaryDirectory directory;
  test::write_tiny_classifier(directory, {"contradiction", "neutral", "entailment"});
  load(directory.path().c_str());
  ASSERT_EQ(bert_explain_labels(model_, {"é the fox", BERT_TO_NUL}, {"a dog", 5}, nullptr, fresh()), BERT_OK)
      << bert_error_message();
  ASSERT_EQ(bert_explanation_output_count(why_), 3u);
  EXPECT_STREQ(bert_explanation_outputs(why_)[1].text, "neutral");
  ASSERT_EQ(parts(0).size(), 3u);
  ASSERT_EQ(parts(1).size(), 2u);
  EXPECT_STREQ(parts(0)[2].text, "fox");
  EXPECT_EQ(parts(0)[2].start, 7u);  // in bytes
  EXPECT_STREQ(parts(1)[1].text, "dog");
  EXPECT_EQ(parts(1)[1].start, 2u);
}

TEST_F(CApiExplain, ARerankersScore) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-rerank");
  load(folder.c_str());
  const bert_text query = {"who sat?", BERT_TO_NUL}, document = {"a cat sat", BERT_TO_NUL};
  ASSERT_EQ(bert_explain_relevance(model_, query, document, nullptr, fresh()), BERT_OK) << bert_error_message();
  bert_task* task = nullptr;
  bert_results* ranked = nullptr;
  const bert_input input = BERT_INPUT(document.data);
  ASSERT_EQ(bert_task_new(model_, "rerank", &task), BERT_OK);
  ASSERT_EQ(bert_task_set_texts(task, "query", &query, 1), BERT_OK);
  ASSERT_EQ(bert_task_run(task, &input, 1, nullptr, &ranked), BERT_OK) << bert_error_message();
  EXPECT_EQ(bert_explanation_outputs(why_)->score, bert_results_items(ranked, 0, nullptr)->score);
  bert_results_free(ranked);
  bert_task_free(task);
  ASSERT_EQ(parts(1).size(), 3u);
  EXPECT_STREQ(parts(1)[1].text, "cat");
}

TEST_F(CApiExplain, RefuseWhatCannotBeExplained) {
  load(nullptr);
  const bert_text text = {"a cat", 5};
  bert_explain_options options = BERT_EXPLAIN_OPTIONS_INIT;
  expect_refused(BERT_NOT_FOUND, bert_explain_labels(model_, text, {nullptr, 0}, nullptr, fresh()), "has no head for");
  expect_refused(BERT_UNSUPPORTED, bert_explain_relevance(model_, text, text, nullptr, fresh()),
                 "bert_explain_similarity");
  expect_refused(BERT_INVALID_TEXT, bert_explain_similarity(model_, text, {"\xff", 1}, nullptr, fresh()), "UTF-8");
  expect_refused(BERT_INVALID_ARGUMENT, bert_explain_similarity(nullptr, text, text, nullptr, fresh()),
                 "model is null");
  EXPECT_EQ(bert_explain_similarity(model_, text, text, nullptr, nullptr), BERT_INVALID_ARGUMENT);
  options.vectors = BERT_TOKEN_VECTORS;
  expect_refused(BERT_NOT_FOUND, bert_explain_similarity(model_, text, text, &options, fresh()), "token vectors");
  options.pooling = BERT_POOLING_CLS;
  expect_refused(BERT_INVALID_ARGUMENT, bert_explain_similarity(model_, text, text, &options, fresh()), "a pooling");
  options.vectors = 3;
  expect_refused(BERT_INVALID_ARGUMENT, bert_explain_similarity(model_, text, text, &options, fresh()),
                 "vectors is 3, expected 0 to 2");
  EXPECT_EQ(bert_explanation_part_count(nullptr, 0), 0u);
  EXPECT_EQ(bert_explanation_parts(nullptr, 0), nullptr);
  EXPECT_EQ(bert_explanation_terms(nullptr), nullptr);
  EXPECT_EQ(bert_explanation_output_count(nullptr), 0u);
}

}  // namespace
}  // namespace bert
