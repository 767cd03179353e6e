#include "tasks/heads/words_left_out.h"

#include <gtest/gtest.h>

#include "tests/models/tiny_model_test.h"

namespace bert {
namespace {

class WordsLeftOutTest : public test::TinyModelTest {};

std::vector<std::string> texts_of(const std::vector<TextWord>& words) {
  std::vector<std::string> texts;
  for (const TextWord& word : words) texts.push_back(word.text);
  return texts;
}

TEST_F(WordsLeftOutTest, AWordIsAllItsTokens) {
  const Model model = load();
  TextResult text;
  text.input.text = "The foxs  jumps!";
  text.input.pair = "A dogs";
  text.tokens.encoding = model.tokenizer().tokenize(text.input.text, text.input.pair);
  const std::vector<TextWord> words = text_words(model.tokenizer(), text);
  EXPECT_EQ(texts_of(words), (std::vector<std::string>{"The", "foxs", "jumps", "!", "A", "dogs"}));
  EXPECT_EQ(words[1].first, 2u);
  EXPECT_EQ(words[1].tokens, 2u);
  EXPECT_EQ(words[3].sequence, 0);
  EXPECT_EQ(words[4].sequence, 1);
  EXPECT_EQ(words[2].place, (Offset{10, 15}));  // "jumps" in the text
  EXPECT_EQ(words[5].place, (Offset{2, 6}));    // "dogs" in the pair
  EXPECT_EQ(text_words(model.tokenizer(), text, false)[2].place, Offset{});
  EXPECT_EQ(texts_of(text_words(model.tokenizer(), text, false)),
            (std::vector<std::string>{"the", "foxs", "jumps", "[UNK]", "[UNK]", "dogs"}));
}

// Some tokenizers make one word of a whole text.
TEST_F(WordsLeftOutTest, WhiteSpaceEndsAWord) {
  const Model model = load();
  TextResult text;
  text.input.text = "the fox";
  text.tokens.encoding = model.tokenizer().tokenize(text.input.text, {.add_special_tokens = false});
  text.tokens.encoding.word_ids = {0, 0};
  EXPECT_EQ(texts_of(text_words(model.tokenizer(), text)), (std::vector<std::string>{"the", "fox"}));
  text.tokens.encoding.offsets = {{0, 3}, {3, 7}};
  EXPECT_EQ(texts_of(text_words(model.tokenizer(), text)), (std::vector<std::string>{"the", "fox"}));
}

TEST_F(WordsLeftOutTest, TheTokensAfterItMoveUp) {
  const std::vector<int32_t> ids = {2, 5, 8, 13, 3}, types = {0, 0, 0, 1, 1};
  const std::vector<TextWord> words = {{.first = 1, .tokens = 1}, {.first = 2, .tokens = 2}};
  const std::vector<ShortenedText> texts = shortened_texts({.ids = ids, .type_ids = types}, words);
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_EQ(texts[0].ids, (std::vector<int32_t>{2, 8, 13, 3}));
  EXPECT_EQ(texts[0].type_ids, (std::vector<int32_t>{0, 0, 1, 1}));
  EXPECT_EQ(texts[1].ids, (std::vector<int32_t>{2, 5, 3}));
  EXPECT_NE(test::refusal(ErrorCode::kInvalidArgument,
                          [&] {
                            shortened_texts({.ids = {ids.data(), 1}}, {{TextWord{.first = 0, .tokens = 1}}});
                          })
                .find("one word"),
            std::string::npos);
}

TEST_F(WordsLeftOutTest, BatchesHaveAllTextsInOrder) {
  std::vector<ShortenedText> texts(21);
  for (size_t i = 0; i < texts.size(); ++i) texts[i].ids.assign(1000, static_cast<int32_t>(i));
  size_t next = 0, batches = 0;
  for_each_batch(texts, [&](size_t first, std::span<const TokenSequence> batch) {
    EXPECT_EQ(first, next);
    for (const TokenSequence& one : batch) EXPECT_EQ(one.ids[0], static_cast<int32_t>(next++));
    ++batches;
  });
  EXPECT_EQ(next, 21u);
  EXPECT_EQ(batches, 3u);
}

}  // namespace
}  // namespace bert
