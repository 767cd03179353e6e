// bert/bert_labels.h: what its items have and what is wrong with its calls; cases_test has the results.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "bert/bert_labels.h"
#include "tests/support/firing_models.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_gliclass.h"
#include "tests/support/tiny_gliner.h"

namespace bert {
namespace {

using ModelPtr = std::unique_ptr<bert_model, decltype(&bert_model_free)>;
using ItemsPtr = std::unique_ptr<bert_items, decltype(&bert_items_free)>;

ModelPtr load_labelled(const std::string& directory, const bert_load_options* options = nullptr) {
  bert_model* model = nullptr;
  EXPECT_EQ(bert_model_load(directory.empty() ? nullptr : directory.c_str(), options, &model), BERT_OK)
      << bert_error_message();
  return {model, bert_model_free};
}

bert_text whole_text(const std::string& text) { return {text.data(), text.size()}; }

// Of two calls: views of labels that stay.
constexpr bert_text kLabelList[] = {
    {"dog", BERT_TO_NUL}, {"fox", BERT_TO_NUL}, {"lazy", BERT_TO_NUL}, {"dog", BERT_TO_NUL}};

TEST(CApiLabels, NameTheLabelOfEachEntity) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliner(directory);
  const ModelPtr model = load_labelled(directory.path().string());
  EXPECT_EQ(bert_model_reads_labels(model.get(), BERT_LABEL_ENTITIES), 1);
  const std::string text = "the quick fox jumps over the lazy dog";
  bert_label_options options = BERT_LABEL_OPTIONS_INIT;
  options.threshold = 0.05;
  bert_items* made = nullptr;
  ASSERT_EQ(bert_find_entities(model.get(), whole_text(text), kLabelList, 2, &options, &made), BERT_OK)
      << bert_error_message();
  const ItemsPtr items(made, bert_items_free);
  ASSERT_GT(bert_items_count(made), 0u);
  for (size_t i = 0; i < bert_items_count(made); ++i) {
    const bert_item& item = bert_items_data(made)[i];
    EXPECT_STREQ(kLabelList[item.index].data, item.text);
  }
  const bert_text missing[] = {{"dog", BERT_TO_NUL}, {nullptr, BERT_TO_NUL}};
  bert_items* refused = nullptr;
  EXPECT_EQ(bert_find_entities(model.get(), whole_text(text), missing, 2, nullptr, &refused), BERT_INVALID_ARGUMENT);
  EXPECT_EQ(bert_find_entities(model.get(), whole_text(text), nullptr, 0, nullptr, &refused), BERT_INVALID_ARGUMENT);
  EXPECT_EQ(refused, nullptr);
  EXPECT_EQ(bert_model_reads_labels(nullptr, BERT_LABEL_ENTITIES), 0);
}

TEST(CApiLabels, FollowTheLimitsOfLoading) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliner(directory);
  bert_load_options options = BERT_LOAD_OPTIONS_INIT;
  options.max_words = 3;
  options.max_width = 1;
  const ModelPtr model = load_labelled(directory.path().string(), &options);
  const std::string text = "the quick fox jumps over the lazy dog";
  bert_label_options request = BERT_LABEL_OPTIONS_INIT;
  request.threshold = 0.01;
  request.long_text = BERT_LONG_TEXT_CUT;
  bert_items* made = nullptr;
  ASSERT_EQ(bert_find_entities(model.get(), whole_text(text), kLabelList, 2, &request, &made), BERT_OK);
  const ItemsPtr items(made, bert_items_free);
  ASSERT_GT(bert_items_count(made), 0u);
  for (size_t i = 0; i < bert_items_count(made); ++i) {
    const bert_item& item = bert_items_data(made)[i];
    EXPECT_LE(item.end, std::string("the quick fox").size());
    EXPECT_EQ(text.substr(item.start, item.end - item.start).find(' '), std::string::npos);
  }
  options.max_words = size_t{1} << 30;
  bert_model* refused = nullptr;
  EXPECT_EQ(bert_model_load(directory.path().c_str(), &options, &refused), BERT_INVALID_ARGUMENT);
  EXPECT_STREQ(bert_error_message(), "max_words: found 1073741824, expected from 1 to 1048576");
}

TEST(CApiLabels, ReadLongTextsAsTheCallerSays) {
  const test::TemporaryDirectory directory;
  test::write_firing_gliner(directory);
  const ModelPtr model = load_labelled(directory.path().string());
  const std::string text = test::text_with_foxes(150, {3, 147});  // a window has 57 words
  const bert_text labels[] = {{"coding", BERT_TO_NUL}};
  bert_label_options options = BERT_LABEL_OPTIONS_INIT;
  bert_items* made = nullptr;
  const auto status = [&] { return bert_find_entities(model.get(), whole_text(text), labels, 1, &options, &made); };
  options.long_text = BERT_LONG_TEXT_CUT;
  ASSERT_EQ(status(), BERT_OK) << bert_error_message();
  EXPECT_EQ(bert_items_count(made), 1u);
  bert_items_free(made);
  options.long_text = BERT_LONG_TEXT_DEFAULT;
  options.stride = 10;
  EXPECT_EQ(status(), BERT_INVALID_ARGUMENT);
  EXPECT_STREQ(bert_error_message(), "a stride of 10 without windows, expected 0");
  options.windows = 3;
  EXPECT_EQ(status(), BERT_INVALID_ARGUMENT);
  EXPECT_STREQ(bert_error_message(), "windows is 3, expected 0 to 2");
}

TEST(CApiLabels, NameTheLabelOfEachScore) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliclass(directory);
  const ModelPtr model = load_labelled(directory.path().string());
  EXPECT_EQ(bert_model_reads_labels(model.get(), BERT_LABEL_CLASSES), 1);
  EXPECT_EQ(bert_model_reads_labels(model.get(), BERT_LABEL_ENTITIES), 0);
  bert_items* made = nullptr;
  ASSERT_EQ(bert_score_labels(model.get(), {"the quick fox", BERT_TO_NUL}, kLabelList, 4, nullptr, &made), BERT_OK)
      << bert_error_message();
  const ItemsPtr items(made, bert_items_free);
  ASSERT_EQ(bert_items_count(made), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_STREQ(kLabelList[bert_items_data(made)[i].index].data, bert_items_data(made)[i].text);
    EXPECT_LT(bert_items_data(made)[i].index, 3u);  // of a repeated label the first
  }
  bert_items* refused = nullptr;
  EXPECT_EQ(bert_score_labels(model.get(), {"a", 1}, kLabelList, 0, nullptr, &refused), BERT_INVALID_ARGUMENT);
}

TEST(CApiLabels, AreForModelsThatReadThem) {
  const ModelPtr model = load_labelled("");
  bert_items* made = nullptr;
  EXPECT_EQ(bert_model_reads_labels(model.get(), BERT_LABEL_ENTITIES), 0);
  EXPECT_EQ(bert_find_entities(model.get(), {"a", 1}, kLabelList, 1, nullptr, &made), BERT_UNSUPPORTED);
  EXPECT_EQ(bert_score_labels(model.get(), {"a", 1}, kLabelList, 1, nullptr, &made), BERT_UNSUPPORTED);
}

}  // namespace
}  // namespace bert
