// bert/bert_tasks.h: what its items have and what is wrong with its calls; cases_test has the results.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bert/bert_tasks.h"
#include "bert/text_tasks.h"
#include "tests/support/firing_models.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

bert_text text_of(const std::string& text) { return {text.data(), text.size()}; }

class CApiTasks : public testing::Test {
 protected:
  ~CApiTasks() override {
    bert_items_free(items_);
    bert_model_free(model_);
  }

  void load(const std::string& directory) {
    ASSERT_EQ(bert_model_load(directory.c_str(), nullptr, &model_), BERT_OK) << bert_error_message();
  }

  // The items of a call that must succeed.
  std::vector<bert_item> items(bert_status status) {
    EXPECT_EQ(status, BERT_OK) << bert_error_message();
    const bert_item* data = bert_items_data(items_);
    return {data, data + bert_items_count(items_)};
  }
  // For the next call.
  bert_items** fresh() {
    bert_items_free(items_);
    items_ = nullptr;
    return &items_;
  }
  void expect_refused(bert_status expected, bert_status found, const char* words) {
    EXPECT_EQ(found, expected);
    EXPECT_NE(std::string(bert_error_message()).find(words), std::string::npos) << bert_error_message();
    EXPECT_EQ(items_, nullptr);
  }

  bert_model* model_ = nullptr;
  bert_items* items_ = nullptr;
};

TEST_F(CApiTasks, NameTheLabelOfEachItem) {
  const test::TemporaryDirectory directory;
  test::write_tiny_classifier(directory, {"contradiction", "neutral", "entailment"});
  load(directory.path().string());
  const std::string text = "the quick fox";
  for (const bert_item& item : items(bert_classify(model_, text_of(text), nullptr, fresh()))) {
    EXPECT_EQ(item.text_bytes, std::string(item.text).size());
  }
  const std::vector<std::string> labels = {"b", "a"};
  const bert_text given[] = {text_of(labels[0]), text_of(labels[1])};
  for (const bert_item& item : items(bert_zero_shot(model_, text_of(text), given, 2, nullptr, fresh()))) {
    EXPECT_EQ(item.text, labels[item.index]);
  }
  expect_refused(BERT_INVALID_ARGUMENT, bert_zero_shot(model_, text_of(text), nullptr, 0, nullptr, fresh()),
                 "no candidate labels");
  expect_refused(BERT_INVALID_ARGUMENT, bert_zero_shot(model_, text_of(text), nullptr, 1, nullptr, fresh()),
                 "labels is null");
  bert_zero_shot_options zero = BERT_ZERO_SHOT_OPTIONS_INIT;
  zero.hypothesis_template = "no place";
  expect_refused(BERT_INVALID_ARGUMENT, bert_zero_shot(model_, text_of(text), given, 2, &zero, fresh()),
                 "hypothesis template 'no place'");
}

TEST_F(CApiTasks, RefuseWrongOptions) {
  const test::TemporaryDirectory directory;
  test::write_firing_tagger(directory, {{"fox", "B-ANIMAL"}});
  load(directory.path().string());
  bert_tag_options options = BERT_TAG_OPTIONS_INIT;
  options.aggregation = 5;
  expect_refused(BERT_INVALID_ARGUMENT, bert_tag(model_, {"a", 1}, &options, fresh()),
                 "aggregation is 5, expected 0 to 4");
  options.aggregation = 0;
  options.scheme = 4;
  expect_refused(BERT_INVALID_ARGUMENT, bert_tag(model_, {"a", 1}, &options, fresh()), "scheme is 4, expected 0 to 3");
  expect_refused(BERT_INVALID_TEXT, bert_tag(model_, {"\xff", 1}, nullptr, fresh()), "UTF-8");
  bert_classify_options classes = BERT_CLASSIFY_OPTIONS_INIT;
  classes.stride = 3;
  expect_refused(BERT_INVALID_ARGUMENT, bert_classify(model_, {"a", 1}, &classes, fresh()),
                 "a stride of 3 without windows, expected 0");
}

TEST_F(CApiTasks, CountWhatTheyDoNotReadOrRefuseIt) {
  const test::TemporaryDirectory directory;
  test::write_tiny_classifier(directory, {"contradiction", "neutral", "entailment"});
  load(directory.path().string());
  const Model model = Model::load(directory.path().string());
  const std::string text = test::text_with_foxes(60, {50});  // a token for each word
  bert_classify_options options = BERT_CLASSIFY_OPTIONS_INIT;
  const auto cut = items(bert_classify(model_, text_of(text), &options, fresh()));
  EXPECT_EQ(bert_items_truncated_tokens(items_), 62 - model.max_length());
  EXPECT_EQ(bert_items_truncated_tokens(nullptr), 0u);
  options.long_text = BERT_LONG_TEXT_CUT;
  EXPECT_EQ(items(bert_classify(model_, text_of(text), &options, fresh()))[0].score, cut[0].score);
  options.long_text = BERT_LONG_TEXT_ERROR;
  expect_refused(BERT_INVALID_TEXT, bert_classify(model_, text_of(text), &options, fresh()), "tokens");
  EXPECT_EQ(items(bert_classify(model_, {"the fox", BERT_TO_NUL}, &options, fresh())).size(), 3u);
  EXPECT_EQ(bert_items_truncated_tokens(items_), 0u);
  options.long_text = BERT_LONG_TEXT_WINDOWS;
  const auto windows = items(bert_classify(model_, text_of(text), &options, fresh()));
  EXPECT_EQ(windows[0].score, classify(model, text, {}, {.stride = model.max_length() / 2})[0].score);
  EXPECT_EQ(bert_items_truncated_tokens(items_), 0u);
  options.long_text = 4;
  expect_refused(BERT_INVALID_ARGUMENT, bert_classify(model_, text_of(text), &options, fresh()), "long_text");

  bert_zero_shot_options zero = BERT_ZERO_SHOT_OPTIONS_INIT;
  const bert_text labels[] = {{"fox", BERT_TO_NUL}, {"the dog", BERT_TO_NUL}};
  items(bert_zero_shot(model_, text_of(text), labels, 2, &zero, fresh()));
  EXPECT_GT(bert_items_truncated_tokens(items_), 62 - model.max_length());
  EXPECT_LT(bert_items_truncated_tokens(items_), 60u);
  zero.long_text = BERT_LONG_TEXT_ERROR;
  expect_refused(BERT_INVALID_TEXT, bert_zero_shot(model_, text_of(text), labels, 2, &zero, fresh()), "tokens");
}

TEST_F(CApiTasks, EndWhereTheCallerSays) {
  const test::TemporaryDirectory directory;
  test::write_firing_tagger(directory, {{"fox", "B-ANIMAL"}});
  load(directory.path().string());
  const std::string text = test::text_with_foxes(8'000, {3});
  size_t calls = 0;
  bert_tag_options options = BERT_TAG_OPTIONS_INIT;
  options.progress = [](void* context, size_t, size_t) { return ++*static_cast<size_t*>(context) < 3 ? 1 : 0; };
  options.progress_context = &calls;
  expect_refused(BERT_CANCELLED, bert_tag(model_, text_of(text), &options, fresh()), "cancelled");
  EXPECT_EQ(calls, 3u);
}

TEST_F(CApiTasks, RankDocuments) {
  ASSERT_EQ(bert_model_load(nullptr, nullptr, &model_), BERT_OK);
  const bert_text query = {"a cat on a mat", BERT_TO_NUL};
  const bert_text documents[] = {{"A cat sat on the mat.", BERT_TO_NUL}, {nullptr, 0}};
  const auto found = items(bert_rerank(model_, query, documents, 2, nullptr, fresh()));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].text, nullptr);
  EXPECT_TRUE(items(bert_rerank(model_, query, nullptr, 0, nullptr, fresh())).empty());
  EXPECT_EQ(bert_items_data(items_), nullptr);
  bert_rerank_options options = BERT_RERANK_OPTIONS_INIT;
  options.relevant_label = "yes";
  expect_refused(BERT_INVALID_ARGUMENT, bert_rerank(model_, query, documents, 2, &options, fresh()),
                 "a relevant label given, expected none");
}

TEST_F(CApiTasks, RefuseWhatIsNoObjectOrText) {
  expect_refused(BERT_INVALID_ARGUMENT, bert_classify(nullptr, {"a", 1}, nullptr, fresh()), "model is null");
  EXPECT_EQ(bert_classify(nullptr, {"a", 1}, nullptr, nullptr), BERT_INVALID_ARGUMENT);
  ASSERT_EQ(bert_model_load(nullptr, nullptr, &model_), BERT_OK);
  expect_refused(BERT_INVALID_ARGUMENT, bert_fill_masks(model_, {nullptr, 3}, nullptr, fresh()), "text is null");
  expect_refused(BERT_INVALID_ARGUMENT, bert_fill_masks(model_, {"a", static_cast<size_t>(-2)}, nullptr, fresh()),
                 "text has 18446744073709551614 bytes");
  bert_fill_mask_options options = BERT_FILL_MASK_OPTIONS_INIT;
  options.struct_bytes = 1;
  expect_refused(BERT_INVALID_ARGUMENT, bert_fill_masks(model_, {"a", 1}, &options, fresh()), "struct_bytes is 1");
  EXPECT_EQ(bert_items_count(nullptr), 0u);
  EXPECT_EQ(bert_items_data(nullptr), nullptr);
  bert_items_free(nullptr);
}

}  // namespace
}  // namespace bert
