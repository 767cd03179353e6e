// bert/bert_labels.h.
#include <gtest/gtest.h>

#include "bert/bert_labels.h"
#include "bert/labels.h"
#include "bert/model.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_gliclass.h"
#include "tests/support/tiny_gliner.h"

namespace bert {
namespace {

TEST(CApiLabels, GiveTheLibrarysEntities) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliner(directory);
  bert_model* model = nullptr;
  ASSERT_EQ(bert_model_load(directory.path().c_str(), nullptr, &model), BERT_OK);
  EXPECT_EQ(bert_model_reads_labels(model, BERT_LABEL_ENTITIES), 1);
  const char* const text = "é the quick fox jumps over the lazy dog";
  const char* const labels[] = {"dog", "fox"};
  bert_label_options options = BERT_LABEL_OPTIONS_INIT;
  options.threshold = 0.05;
  options.nested = 1;
  std::vector<bert_entity> entities(100);
  size_t count = 0;
  ASSERT_EQ(bert_find_entities(model, text, BERT_TO_NUL, labels, 2, &options, entities.data(), 100, &count), BERT_OK)
      << bert_error_message();
  const Model same = Model::load(directory.path().string());
  const std::vector<Entity> expected =
      find_entities(same, text, {.labels = {"dog", "fox"}, .threshold = 0.05, .nested = true});
  ASSERT_EQ(count, expected.size());
  ASSERT_GT(count, 0u);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(entities[i].start, expected[i].start);
    EXPECT_EQ(entities[i].code_point_end, expected[i].code_point_end);
    EXPECT_EQ(labels[entities[i].label], expected[i].entity);
    EXPECT_EQ(entities[i].score, expected[i].score);
  }
  options.offset_unit = BERT_UTF16;
  std::vector<bert_entity> utf16(count);
  ASSERT_EQ(bert_find_entities(model, text, BERT_TO_NUL, labels, 2, &options, utf16.data(), count, &count), BERT_OK);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(utf16[i].start, entities[i].code_point_start);  // every character of the text is one unit
    EXPECT_EQ(utf16[i].code_point_start, entities[i].code_point_start);
  }
  size_t needed = 0;
  EXPECT_EQ(bert_find_entities(model, text, BERT_TO_NUL, labels, 2, &options, nullptr, 0, &needed),
            BERT_BUFFER_TOO_SMALL);
  EXPECT_EQ(needed, count);
  const char* const missing[] = {"dog", nullptr};
  EXPECT_EQ(bert_find_entities(model, text, BERT_TO_NUL, missing, 2, nullptr, entities.data(), 100, &count),
            BERT_INVALID_ARGUMENT);
  bert_model_free(model);
  EXPECT_EQ(bert_model_reads_labels(nullptr, BERT_LABEL_ENTITIES), 0);
}

TEST(CApiLabels, FollowTheLimitsOfLoading) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliner(directory);
  bert_load_options options = BERT_LOAD_OPTIONS_INIT;
  options.max_words = 3;
  options.max_width = 1;
  bert_model* model = nullptr;
  ASSERT_EQ(bert_model_load(directory.path().c_str(), &options, &model), BERT_OK);
  const char* const text = "the quick fox jumps over the lazy dog";
  const char* const labels[] = {"dog", "fox"};
  bert_label_options request = BERT_LABEL_OPTIONS_INIT;
  request.threshold = 0.01;
  std::vector<bert_entity> entities(100);
  size_t count = 0;
  ASSERT_EQ(bert_find_entities(model, text, BERT_TO_NUL, labels, 2, &request, entities.data(), 100, &count), BERT_OK);
  ASSERT_GT(count, 0u);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_LE(entities[i].end, std::string("the quick fox").size());
    EXPECT_EQ(std::string(text).substr(entities[i].start, entities[i].end - entities[i].start).find(' '),
              std::string::npos);
  }
  bert_model_free(model);
  options.max_words = size_t{1} << 30;
  EXPECT_EQ(bert_model_load(directory.path().c_str(), &options, &model), BERT_INVALID_ARGUMENT);
  EXPECT_STREQ(bert_error_message(), "max_words: found 1073741824, expected from 1 to 1048576");
}

TEST(CApiLabels, GiveTheLibrarysScoresInTheLabelsOrder) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliclass(directory);
  bert_model* model = nullptr;
  ASSERT_EQ(bert_model_load(directory.path().c_str(), nullptr, &model), BERT_OK);
  EXPECT_EQ(bert_model_reads_labels(model, BERT_LABEL_CLASSES), 1);
  EXPECT_EQ(bert_model_reads_labels(model, BERT_LABEL_ENTITIES), 0);
  const char* const labels[] = {"dog", "fox", "lazy", "dog"};
  double scores[4] = {};
  const Model same = Model::load(directory.path().string());
  for (const int several : {0, 1}) {
    ASSERT_EQ(bert_score_labels(model, "the quick fox", BERT_TO_NUL, labels, 4, several, scores), BERT_OK)
        << bert_error_message();
    EXPECT_EQ(scores[0], scores[3]);
    for (const LabelScore& expected :
         score_labels(same, "the quick fox", {.labels = {"dog", "fox", "lazy"}, .multi_label = several != 0})) {
      const size_t place = expected.label == "dog" ? 0 : expected.label == "fox" ? 1 : 2;
      EXPECT_EQ(scores[place], expected.score);
    }
  }
  EXPECT_EQ(bert_score_labels(model, "a", BERT_TO_NUL, labels, 0, 0, scores), BERT_INVALID_ARGUMENT);
  bert_model_free(model);
}

TEST(CApiLabels, AreForModelsThatReadThem) {
  bert_model* model = nullptr;
  ASSERT_EQ(bert_model_load(nullptr, nullptr, &model), BERT_OK);
  const char* const labels[] = {"dog"};
  bert_entity entity;
  size_t count = 0;
  EXPECT_EQ(bert_model_reads_labels(model, BERT_LABEL_ENTITIES), 0);
  EXPECT_EQ(bert_find_entities(model, "a", BERT_TO_NUL, labels, 1, nullptr, &entity, 1, &count), BERT_UNSUPPORTED);
  double score = 0;
  EXPECT_EQ(bert_score_labels(model, "a", BERT_TO_NUL, labels, 1, 0, &score), BERT_UNSUPPORTED);
  bert_model_free(model);
}

}  // namespace
}  // namespace bert
