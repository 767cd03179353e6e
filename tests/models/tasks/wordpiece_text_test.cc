#include "models/tasks/wordpiece_text.h"

#include <gtest/gtest.h>

namespace bert {
namespace {

TEST(WordPieceText, HasPiecesIfTheVocabularyContinuesWords) {
  EXPECT_TRUE(has_word_pieces(Tokenizer::from_vocabulary("[UNK]\n[CLS]\n[SEP]\n[PAD]\n[MASK]\na\n##s\n", "")));
  EXPECT_FALSE(has_word_pieces(Tokenizer::from_vocabulary("[UNK]\n[CLS]\n[SEP]\n[PAD]\n[MASK]\na\n", "")));
}

}  // namespace
}  // namespace bert
