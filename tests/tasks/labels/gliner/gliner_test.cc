// Tests whole GLiNER models: the encoder's input and the entities.
#include "tasks/labels/gliner/gliner.h"

#include <gtest/gtest.h>

#include "tasks/labels/label_request.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_gliner.h"
#include "tests/tasks/labels/entities_alone.h"

namespace bert {
namespace {

Model tiny_gliner(const test::TinyGliner& form = {}, const LoadOptions& options = {.threads = 2}) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliner(directory, form);
  LoadOptions copied = options;
  copied.copy_weights = true;
  return Model::load(directory.path().string(), copied);
}

Encoding read_by(const Model& model, std::string_view text, LabelRequest request, TokenizeOptions options = {}) {
  return tokenize_with_labels(model, text, prepare_labels(model, std::move(request)), options);
}

TEST(Gliner, PutsTheLabelsBeforeTheWordsOfTheText) {
  const Model model = tiny_gliner();
  const Encoding encoding = read_by(model, "The  fox-dog jumps", {.labels = {"dog", "lazy fox"}});
  // Words that a hyphen joins are one word, which has three tokens here.
  std::vector<std::string> tokens;
  for (const int32_t id : encoding.ids) tokens.emplace_back(model.tokenizer().token(id));
  EXPECT_EQ(tokens, (std::vector<std::string>{"[CLS]", "<<ENT>>", "dog", "<<ENT>>", "lazy", "fox", "<<SEP>>", "the",
                                              "fox", "[UNK]", "dog", "jumps", "[SEP]"}));
  EXPECT_EQ(encoding.word_ids, (std::vector<int32_t>{-1, -1, -1, -1, -1, -1, -1, 0, 1, 1, 1, 2, -1}));
  EXPECT_EQ(encoding.offsets[10], (Offset{9, 12}));
  EXPECT_EQ(encoding.offsets[11], (Offset{13, 18}));
  EXPECT_EQ(encoding.offsets[2], Offset());
}

TEST(Gliner, GivesEntitiesWithOffsetsInBytesAndCodePoints) {
  const Model model = tiny_gliner();
  const std::string text = "é the quick fox 😀 jumps over dog";
  const std::vector<Entity> entities = find_entities(model, text, {.labels = {"dog", "fox"}, .threshold = 0.1});
  ASSERT_FALSE(entities.empty());
  for (const Entity& entity : entities) {
    EXPECT_EQ(text.substr(entity.start, entity.end - entity.start), entity.word);
    EXPECT_LE(entity.code_point_start, entity.start);
    EXPECT_TRUE(entity.entity == "dog" || entity.entity == "fox");
    EXPECT_GT(entity.score, 0.1);
  }
  for (size_t i = 1; i < entities.size(); ++i) EXPECT_GE(entities[i].start, entities[i - 1].end);
  EXPECT_TRUE(find_entities(model, " \n", {.labels = {"dog"}}).empty());
}

TEST(Gliner, CountsWordsPastItsLimit) {
  const Model model = tiny_gliner({.settings = R"("max_len": 3)"});
  EXPECT_EQ(read_by(model, "the fox jumps over the dog", {.labels = {"dog"}}).truncated_tokens, 3u);
  EXPECT_EQ(read_by(model, "the fox jumps", {.labels = {"dog"}}).truncated_tokens, 0u);
  EXPECT_EQ(test::error_of(
                ErrorCode::kInvalidText,
                [&] { read_by(model, "the fox jumps over", {.labels = {"dog"}}, {.truncation = Truncation::kError}); }),
            "text of 4 words, expected at most 3, the model's max_len");
}

TEST(Gliner, RefusesLabelsThatLeaveNoRoomForTheText) {
  const Model model = tiny_gliner();
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument,
                           [&] {
                             read_by(model, "the dog", {.labels = {"dog", "fox", "lazy"}}, {.max_length = 6});
                           }),
            "3 labels take more than the 6 tokens that the model reads, expected room for the text after them");
}

TEST(Gliner, GivesATextTheSameEntitiesAloneAndInAnyPass) {
  for (const test::TinyGliner& form : {test::TinyGliner{},
                                       {.reads_words = true},
                                       {.hidden = 16},
                                       {.encodes_labels = true, .hidden = 20},
                                       {.reads_words = true, .encodes_labels = true},
                                       {.settings = R"("subtoken_pooling": "mean")"}}) {
    test::expect_entities_as_alone(tiny_gliner(form), {"the quick brown fox jumps", "", "dogs", "over the lazy dog",
                                                       "i like coding i do the quick lazy dog jumps over the fox"});
  }
}

}  // namespace
}  // namespace bert
