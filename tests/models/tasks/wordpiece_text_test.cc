#include "models/tasks/wordpiece_text.h"

#include <gtest/gtest.h>

namespace bert {
namespace {

TEST(WordPieceText, LosesSpacesBeforePunctuationAndContractions) {
  const Tokenizer tokenizer = Tokenizer::from_vocabulary("[UNK]\n[CLS]\n[SEP]\n[PAD]\n[MASK]\na\n##s\n", "");
  EXPECT_TRUE(has_word_pieces(tokenizer));
  EXPECT_EQ(clean_up(tokenizer, "it ' s a dog , is n't it ? no , we 've seen"), "it's a dog, isn't it? no, we've seen");
}

TEST(WordPieceText, StaysAsItIsWithoutPieces) {
  const Tokenizer tokenizer = Tokenizer::from_vocabulary("[UNK]\n[CLS]\n[SEP]\n[PAD]\n[MASK]\na\n", "");
  EXPECT_FALSE(has_word_pieces(tokenizer));
  EXPECT_EQ(clean_up(tokenizer, "a ."), "a .");
}

}  // namespace
}  // namespace bert
