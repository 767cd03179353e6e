// Tests whole GLiNER2 models: the encoder's input, entities and classes.
#include "tasks/labels/gliner2/gliner2.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tasks/labels/label_request.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_gliner2.h"
#include "tests/tasks/labels/entities_alone.h"

namespace bert {
namespace {

Model tiny_gliner2(const test::TinyGliner2& form = {}) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliner2(directory, form);
  return Model::load(directory.path().string(), {.threads = 2, .copy_weights = true});
}

std::vector<std::string> schema_of(const Model& model, const Encoding& encoding) {
  std::vector<std::string> tokens;
  for (const int32_t id : encoding.ids) tokens.emplace_back(model.tokenizer().token(id));
  return tokens;
}

using SchemaTokens = std::vector<std::string>;

TEST(Gliner2, PutsTheSchemaBeforeTheWordsOfTheText) {
  for (const bool has_markers : {true, false}) {
    const Model model = tiny_gliner2({.has_markers = has_markers});
    const PreparedLabels labels = prepare_labels(model, LabelRequest{.labels = {"dog", "lazy fox"}});
    const Encoding encoding = tokenize_with_labels(model, "The fox-dog  jumps", labels, {});
    EXPECT_EQ(schema_of(model, encoding),
              (SchemaTokens{"[UNK]", "[P]", "[UNK]", "[UNK]", "[E]", "dog", "[E]", "lazy", "fox", "[UNK]", "[UNK]",
                            "[SEP_TEXT]", "the", "fox", "[UNK]", "dog", "jumps", "[UNK]"}));
    // The model adds a full stop, whose word comes after those of the text.
    EXPECT_EQ(encoding.word_ids,
              (std::vector<int32_t>{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 1, 1, 1, 2, 3}));
    EXPECT_EQ(encoding.offsets[13], (Offset{4, 7}));
    EXPECT_EQ(encoding.offsets[16], (Offset{13, 18}));
    EXPECT_EQ(encoding.offsets[17], (Offset{18, 18}));
    EXPECT_EQ(encoding.special_tokens_mask,
              (std::vector<uint8_t>{0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  }
}

TEST(Gliner2, MarksClassesInTheSameWay) {
  const Model model = tiny_gliner2();
  const PreparedLabels labels = prepare_labels(model, ClassRequest{.labels = {"dog", "fox"}});
  const Encoding encoding = tokenize_with_labels(model, "the dog!", labels, {});
  EXPECT_EQ(schema_of(model, encoding), (SchemaTokens{"[UNK]", "[P]", "[UNK]", "[UNK]", "[L]", "dog", "[L]", "fox",
                                                      "[UNK]", "[UNK]", "[SEP_TEXT]", "the", "dog", "[UNK]"}));
}

TEST(Gliner2, GivesEntitiesWithOffsetsInBytesAndCodePoints) {
  for (const bool has_boundaries : {false, true}) {
    const Model model = tiny_gliner2({.has_boundaries = has_boundaries});
    const std::string text = "é the quick fox 😀 jumps over dog";
    const LabelRequest request{.labels = {"dog", "fox"}, .names = {"D", "F"}, .threshold = 0.1};
    const std::vector<Entity> entities = find_entities(model, text, request);
    ASSERT_FALSE(entities.empty());
    std::map<std::string, size_t> ends;
    for (const Entity& entity : entities) {
      EXPECT_EQ(text.substr(entity.start, entity.end - entity.start), entity.word);
      EXPECT_FALSE(entity.word.empty());
      EXPECT_LE(entity.code_point_start, entity.start);
      EXPECT_GE(entity.score, 0.1);
      // Entities of one label do not overlap.
      EXPECT_GE(entity.start, ends[entity.entity]);
      ends[entity.entity] = entity.end;
    }
    EXPECT_EQ(ends.size(), 2u);
    EXPECT_TRUE(find_entities(model, " \n", request).empty());
    EXPECT_TRUE(find_entities(model, "", request).empty());
  }
}

// An entity whose score equals the threshold is found.
TEST(Gliner2, FindsWhatHasTheThreshold) {
  const Model model = tiny_gliner2();
  LabelRequest request{.labels = {"dog"}, .threshold = 0};
  const std::vector<Entity> all = find_entities(model, "the fox jumps.", request);
  ASSERT_FALSE(all.empty());
  request.threshold = all[0].score;
  const std::vector<Entity> above = find_entities(model, "the fox jumps.", request);
  EXPECT_TRUE(
      std::any_of(above.begin(), above.end(), [&](const Entity& entity) { return entity.score == all[0].score; }));
  request.threshold = std::nextafter(static_cast<float>(all[0].score), 1.0f);
  for (const Entity& entity : find_entities(model, "the fox jumps.", request)) EXPECT_GT(entity.score, all[0].score);
}

TEST(Gliner2, ScoresClassesAloneOrTogether) {
  for (const bool has_boundaries : {false, true}) {
    const Model model = tiny_gliner2({.has_boundaries = has_boundaries});
    const std::vector<LabelScore> together = score_labels(model, "the dog", {.labels = {"dog", "fox", "lazy"}});
    ASSERT_EQ(together.size(), 3u);
    double sum = 0;
    for (const LabelScore& label : together) sum += label.score;
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_GE(together[0].score, together[1].score);
    EXPECT_GE(together[1].score, together[2].score);
    // Softmax and sigmoid get the same logits, so they give the same order.
    const std::vector<LabelScore> alone =
        score_labels(model, "the dog", {.labels = {"dog", "fox", "lazy"}, .multi_label = true});
    const auto odds = [](double p) { return p / (1 - p); };
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(alone[i].label, together[i].label);
      EXPECT_NEAR(odds(alone[i].score) / odds(alone[0].score), together[i].score / together[0].score, 1e-9);
    }
  }
}

TEST(Gliner2, RefusesLabelsThatLeaveNoRoomForTheText) {
  const Model model = tiny_gliner2();
  const PreparedLabels labels = prepare_labels(model, LabelRequest{.labels = {"dog", "fox", "lazy"}});
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument,
                           [&] { tokenize_with_labels(model, "the dog", labels, {.max_length = 13}); }),
            "3 labels take more than the 13 tokens that the model reads, expected room for the text after them");
  EXPECT_EQ(tokenize_with_labels(model, "the dog.", labels, {.max_length = 14}).truncated_tokens, 2u);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument,
                           [&] { tokenize_with_labels(model, "the dog", labels, {.split_special_tokens = true}); }),
            "special tokens of the text as words, expected as tokens: labels are marked by them");
}

TEST(Gliner2, RefusesAMissingConfigurationOfTheEncoder) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliner2(directory);
  std::filesystem::remove_all(directory.path() / "encoder_config");
  EXPECT_NE(
      test::error_of(ErrorCode::kNotFound, [&] { Model::load(directory.path().string()); }).find("encoder_config"),
      std::string::npos);
}

TEST(Gliner2, GivesATextTheSameEntitiesAloneAndInAnyPass) {
  for (const test::TinyGliner2& form : {test::TinyGliner2{},
                                        {.settings = R"("token_pooling": "mean")"},
                                        {.settings = R"("token_pooling": "max")"},
                                        {.has_boundaries = true}}) {
    test::expect_entities_as_alone(tiny_gliner2(form),
                                   {"the quick brown fox jumps", "", "dogs \u200b", "over the lazy dog",
                                    "i like coding i do the quick lazy dog jumps over the fox"});
  }
}

}  // namespace
}  // namespace bert
