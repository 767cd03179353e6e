#include "tokenizer/wordpiece_pass.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/random.h"
#include "tests/tokenizer/normalizer/normalizers.h"
#include "tests/tokenizer/tokens.h"
#include "tokenizer/settings.h"
#include "tokenizer/tokenizer_steps.h"

namespace bert {
namespace {

struct WordPieceWords {
  Vocabulary vocabulary = Vocabulary::from_lines(
      "[UNK]\nthe\nthing\n##s\n.\n,\n\u00E9\n##\u00E9\ne\n##e\n\u4E2D\nnai\n##ve\n1\n##2\n's\n'", "vocab.txt");
  WordPiece model{vocabulary, {}, "vocab.txt"};
  AddedTokens none;
};

TEST(WordPiecePass, GivesWhatTheStepsGive) {
  const WordPieceWords words;
  const std::vector<std::string> parts = {
      "the",    "The",        "things", " ",      "  ",      "\t",     "\n",
      ".",      ",",          "12",     "\u00E9", "e\u0301", "\u4E2D", "\u3000",
      "\u200B", "na\u00EFve", "it's",   "\x7F",   "x",       "\u0301", "thethethethethethe",
      "\u00AD", "\u0130",     "\u1E9E"};
  test::Random random(7);
  for (const BertNormalizer& normalizer : {test::kUncased, test::kCased}) {
    const auto pass = WordPiecePass::of(normalizer, kBertPreTokenizer, words.none, words.model);
    ASSERT_NE(pass, nullptr);
    const TokenizerSteps steps(normalizer, kBertPreTokenizer, words.none, words.model, 64);
    for (int round = 0; round < 5'000; ++round) {
      std::string text;
      for (size_t count = 1 + random.below(12); count > 0; --count) text += parts[random.below(parts.size())];
      for (const char* from : {"first", "from the cache"}) {
        ASSERT_EQ(test::tokens_of(*pass, text), test::tokens_of(steps, text)) << from << ": '" << text << "'";
      }
    }
  }
}

TEST(WordPiecePass, IsNotForOtherSteps) {
  const WordPieceWords words;
  const auto is_for = [&](const Normalizer& normalizer, const PreTokenizer& pre_tokenizer, const AddedTokens& added) {
    return WordPiecePass::of(normalizer, pre_tokenizer, added, words.model) != nullptr;
  };
  EXPECT_TRUE(is_for(test::kUncased, kBertPreTokenizer, words.none));
  EXPECT_FALSE(is_for(test::kUncased, BertSplitRules{}, words.none));
  EXPECT_FALSE(is_for(test::kUncased, BertSplitRules{.split_spaces = true, .split_word_classes = true}, words.none));
  Normalizer two = test::kUncased;
  two.add(NormalForm{.composed = true});
  EXPECT_FALSE(is_for(two, kBertPreTokenizer, words.none));
  const AddedTokens normalized(words.vocabulary, test::kUncased, {{.content = "a b", .normalized = true}}, "v");
  EXPECT_FALSE(is_for(test::kUncased, kBertPreTokenizer, normalized));
}

}  // namespace
}  // namespace bert
