// bert/bert_tasks.h: the results of bert/text_tasks.h, and what is wrong with the calls.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bert/bert_tasks.h"
#include "bert/offsets.h"
#include "bert/text_tasks.h"
#include "tests/support/firing_models.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"
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

TEST_F(CApiTasks, ClassifyATextAndAPair) {
  const test::TemporaryDirectory directory;
  test::write_tiny_classifier(directory, {"contradiction", "neutral", "entailment"});
  load(directory.path().string());
  const Model model = Model::load(directory.path().string());
  const std::string text = "the quick fox", pair = "the dog";
  bert_classify_options options = BERT_CLASSIFY_OPTIONS_INIT;
  options.pair = text_of(pair);
  for (const bool is_pair : {false, true}) {
    const std::vector<LabelScore> expected = is_pair ? classify(model, text, pair) : classify(model, text);
    const auto found = items(bert_classify(model_, text_of(text), is_pair ? &options : nullptr, fresh()));
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].text, expected[i].label);
      EXPECT_EQ(found[i].text_bytes, expected[i].label.size());
      EXPECT_EQ(found[i].score, expected[i].score);
    }
  }
  const std::vector<std::string> labels = {"b", "a"};
  const bert_text given[] = {text_of(labels[0]), text_of(labels[1])};
  bert_zero_shot_options zero = BERT_ZERO_SHOT_OPTIONS_INIT;
  zero.multi_label = 1;
  zero.hypothesis_template = "{} it is";
  const auto found = items(bert_zero_shot(model_, text_of(text), given, 2, &zero, fresh()));
  const auto expected = zero_shot(model, text, labels, {.hypothesis_template = "{} it is", .multi_label = true});
  ASSERT_EQ(found.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(found[i].text, expected[i].label);
    EXPECT_EQ(labels[found[i].index], expected[i].label);
    EXPECT_EQ(found[i].score, expected[i].score);
  }
  expect_refused(BERT_INVALID_ARGUMENT, bert_zero_shot(model_, text_of(text), nullptr, 0, nullptr, fresh()),
                 "no candidate labels");
  expect_refused(BERT_INVALID_ARGUMENT, bert_zero_shot(model_, text_of(text), nullptr, 1, nullptr, fresh()),
                 "labels is null");
  zero.hypothesis_template = "no place";
  expect_refused(BERT_INVALID_ARGUMENT, bert_zero_shot(model_, text_of(text), given, 2, &zero, fresh()),
                 "hypothesis template 'no place'");
  expect_refused(BERT_NOT_FOUND, bert_tag(model_, text_of(text), nullptr, fresh()), "has no head for");
}

TEST_F(CApiTasks, TagInTheCallersUnit) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-tagger");
  load(folder.string());
  const Model model = Model::load(folder.string());
  const std::string text = "é A bird is bathing in a sink 𝄞 with water.";
  bert_tag_options options = BERT_TAG_OPTIONS_INIT;
  options.aggregation = BERT_AGGREGATION_NONE;
  const std::vector<Entity> expected = tag(model, text, {.aggregation = Aggregation::kNone});
  ASSERT_FALSE(expected.empty());
  for (const int32_t unit : {BERT_BYTES, BERT_CODE_POINTS, BERT_UTF16}) {
    options.offset_unit = unit;
    const OffsetUnits units(text, unit == BERT_BYTES         ? OffsetUnit::kBytes
                                  : unit == BERT_CODE_POINTS ? OffsetUnit::kCodePoints
                                                             : OffsetUnit::kUtf16);
    const auto found = items(bert_tag(model_, text_of(text), &options, fresh()));
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].text, expected[i].entity);
      EXPECT_EQ(found[i].start, units.before(expected[i].start));
      EXPECT_EQ(found[i].end, units.before(expected[i].end));
      EXPECT_EQ(found[i].score, expected[i].score);
    }
  }
  options.aggregation = 5;
  expect_refused(BERT_INVALID_ARGUMENT, bert_tag(model_, text_of(text), &options, fresh()),
                 "aggregation is 5, expected 0 to 4");
  expect_refused(BERT_INVALID_TEXT, bert_tag(model_, {"\xff", 1}, nullptr, fresh()), "UTF-8");
}

// "brown" is B-ANIMAL and "fox" E-ANIMAL: labels of BIOES. In the reference's scheme "E-ANIMAL" is another kind, whose
// name loses what is before the first "-".
TEST_F(CApiTasks, TagByAScheme) {
  const test::TemporaryDirectory directory;
  test::write_firing_tagger(directory, {{"brown", "B-ANIMAL"}, {"fox", "E-ANIMAL"}});
  load(directory.path().string());
  const std::string text = "the quick brown fox";
  bert_tag_options options = BERT_TAG_OPTIONS_INIT;
  const auto spans = [&](int32_t scheme) {
    options.scheme = scheme;
    std::vector<std::string> found;
    for (const bert_item& item : items(bert_tag(model_, text_of(text), &options, fresh()))) {
      found.push_back(std::string(item.text) + ": " + text.substr(item.start, item.end - item.start));
    }
    return found;
  };
  using Spans = std::vector<std::string>;
  EXPECT_EQ(spans(BERT_SCHEME_FROM_LABELS), Spans{"ANIMAL: brown fox"});
  EXPECT_EQ(spans(BERT_SCHEME_BIOES), Spans{"ANIMAL: brown fox"});
  EXPECT_EQ(spans(BERT_SCHEME_IOB), (Spans{"ANIMAL: brown", "ANIMAL: fox"}));
  options.scheme = 4;
  expect_refused(BERT_INVALID_ARGUMENT, bert_tag(model_, text_of(text), &options, fresh()),
                 "scheme is 4, expected 0 to 3");
}

// Windows beside the library's, of a text that is several times too long for the model.
TEST_F(CApiTasks, ReadLongTextsInWindows) {
  const test::TemporaryDirectory directory;
  test::write_tiny_classifier(directory, {"contradiction", "neutral", "entailment"});
  load(directory.path().string());
  const Model model = Model::load(directory.path().string());
  const std::string text = test::text_with_foxes(150, {20, 90});
  const std::vector<std::string> labels = {"fox", "dog"};
  const bert_text given[] = {text_of(labels[0]), text_of(labels[1])};
  const auto same = [&](bert_status status, const std::vector<LabelScore>& expected) {
    const auto found = items(status);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].text, expected[i].label);
      EXPECT_EQ(found[i].score, expected[i].score);
    }
  };
  bert_classify_options options = BERT_CLASSIFY_OPTIONS_INIT;
  bert_zero_shot_options zero = BERT_ZERO_SHOT_OPTIONS_INIT;
  for (const int32_t windows : {BERT_WINDOWS_MEAN, BERT_WINDOWS_LARGEST}) {
    options.windows = zero.windows = windows;
    options.stride = zero.stride = 3;
    const WindowOptions wanted = {
        .stride = 3, .scores = windows == BERT_WINDOWS_MEAN ? WindowScores::kMean : WindowScores::kLargest};
    same(bert_classify(model_, text_of(text), &options, fresh()), classify(model, text, {}, wanted));
    same(bert_zero_shot(model_, text_of(text), given, 2, &zero, fresh()),
         zero_shot(model, text, labels, {.windows = wanted}));
  }
  options.windows = BERT_NO_WINDOWS;
  expect_refused(BERT_INVALID_ARGUMENT, bert_classify(model_, text_of(text), &options, fresh()),
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

TEST_F(CApiTasks, RankLongDocumentsByTheirBestWindow) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory);
  load(directory.path().string());
  const Model model = Model::load(directory.path().string());
  const std::vector<std::string> texts = {test::text_with_foxes(150, {140}), "the lazy dog"};
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const bert_text documents[] = {text_of(texts[0]), text_of(texts[1])};
  bert_rerank_options options = BERT_RERANK_OPTIONS_INIT;
  options.windows = BERT_WINDOWS_LARGEST;
  options.stride = 2;
  const auto expected = rerank(model, Reranker(model), "brown fox", views, {.stride = 2});
  const auto found = items(bert_rerank(model_, {"brown fox", BERT_TO_NUL}, documents, 2, &options, fresh()));
  ASSERT_EQ(found.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(found[i].index, expected[i].index);
    EXPECT_EQ(found[i].score, expected[i].score);
  }
  EXPECT_NE(rerank(model, Reranker(model), "brown fox", views), expected);
}

TEST_F(CApiTasks, FillMasks) {
  ASSERT_EQ(bert_model_load(nullptr, nullptr, &model_), BERT_OK);
  const Model model = Model::builtin();
  const std::string text = "A [MASK] sat on the [MASK].";
  const std::string target = "cat";
  const bert_text targets[] = {text_of(target)};
  bert_fill_mask_options options = BERT_FILL_MASK_OPTIONS_INIT;
  options.top_k = 2;
  const auto expected = fill_masks(model, text, {.top_k = 2});
  const auto found = items(bert_fill_masks(model_, text_of(text), &options, fresh()));
  ASSERT_EQ(found.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(found[i].index, i / 2);
    EXPECT_EQ(found[i].id, expected[i / 2][i % 2].id);
    EXPECT_EQ(found[i].text, expected[i / 2][i % 2].token);
    EXPECT_EQ(found[i].score, expected[i / 2][i % 2].score);
  }
  options.targets = targets;
  options.target_count = 1;
  EXPECT_EQ(items(bert_fill_masks(model_, text_of(text), &options, fresh())).size(), 2u);
  expect_refused(BERT_INVALID_TEXT, bert_fill_masks(model_, {"no mask", BERT_TO_NUL}, nullptr, fresh()), "no mask");
}

TEST_F(CApiTasks, AnswerAQuestion) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-qa");
  load(folder.string());
  const std::string question = "Who sat?", context = "é A cat sat on the mat.";
  bert_answer_options options = BERT_ANSWER_OPTIONS_INIT;
  options.top_k = 3;
  options.offset_unit = BERT_CODE_POINTS;
  const auto expected = answer(Model::load(folder.string()), question, context, {.top_k = 3});
  const auto found = items(bert_answer(model_, text_of(question), text_of(context), &options, fresh()));
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].text, expected[i].answer);
    EXPECT_EQ(found[i].start, expected[i].code_point_start);
    EXPECT_EQ(found[i].end, expected[i].code_point_end);
    EXPECT_EQ(found[i].score, expected[i].score);
  }
}

TEST_F(CApiTasks, RankDocuments) {
  ASSERT_EQ(bert_model_load(nullptr, nullptr, &model_), BERT_OK);
  const Model model = Model::builtin();
  const std::string query = "a cat on a mat";
  const std::vector<std::string> texts = {"The stock market fell.", "A cat sat on the mat.", ""};
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const bert_text documents[] = {text_of(texts[0]), text_of(texts[1]), {nullptr, 0}};
  const auto expected = rerank(model, Reranker(model), query, views);
  const auto found = items(bert_rerank(model_, text_of(query), documents, 3, nullptr, fresh()));
  ASSERT_EQ(found.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found[i].index, expected[i].index);
    EXPECT_EQ(found[i].score, expected[i].score);
    EXPECT_EQ(found[i].text, nullptr);
  }
  EXPECT_TRUE(items(bert_rerank(model_, text_of(query), nullptr, 0, nullptr, fresh())).empty());
  EXPECT_EQ(bert_items_data(items_), nullptr);
  bert_rerank_options options = BERT_RERANK_OPTIONS_INIT;
  options.relevant_label = "yes";
  expect_refused(BERT_INVALID_ARGUMENT, bert_rerank(model_, text_of(query), documents, 3, &options, fresh()),
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
