#include "tokenizer/spaced_word_pass.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/base/utf8.h"
#include "tests/support/random.h"
#include "tests/tokenizer/tokens.h"
#include "tokenizer/model/unigram.h"
#include "tokenizer/sequence_tokenizer.h"
#include "tokenizer/tokenizer_steps.h"

namespace bert {
namespace {

const std::vector<std::string> kTokensOfMarkedWords = {"<unk>", "\u2581", "\u2581the", "\u2581t", "he",
                                                       "t",     "h",      "e",         "s",       "\u2581a",
                                                       "a",     "\u00E9", "\u4E2D",    "ing",     "<mask>"};

struct UnigramOfMarkedWords {
  Vocabulary vocabulary = Vocabulary::from_list({kTokensOfMarkedWords.begin(), kTokensOfMarkedWords.end()}, "v");
  Unigram model{vocabulary, {.scores = {0, -3, -2, -4, -3, -5, -5, -5, -5, -3, -5, -6, -6, -4, -9}}, "v"};
  AddedTokens added;
  PreTokenizer pre_tokenizer;

  UnigramOfMarkedWords()
      : added(vocabulary, Normalizer(), {{.content = "<mask>", .lstrip = true, .normalized = true}}, "v") {
    pre_tokenizer.add(BertSplitRules{.split_spaces = true});
    pre_tokenizer.add(Metaspace());
  }
};

TEST(SpacedWordPass, GivesWhatTheStepsGive) {
  const UnigramOfMarkedWords words;
  const AddedTokens none;
  const SequenceTokenizer tokenizer(Normalizer(), words.pre_tokenizer, none, words.model);
  const TokenizerSteps steps(Normalizer(), words.pre_tokenizer, none, words.model, 1000);
  const std::vector<std::string> parts = {
      "the", "a",      "things",      " ",      " ",       "  ",      "\t",
      "\n",  "\u3000", "\u00E9",      "\u4E2D", "e\u0301", " \u0301", "thethethethethethe",
      "x",   "\x7F",   "the the the "};
  test::Random random(5);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (size_t count = 1 + random.below(12); count > 0; --count) text += parts[random.below(parts.size())];
    for (const char* from : {"first", "from the cache"}) {
      TokenList list;
      tokenizer.append_tokens(text, "text", false, list);
      ASSERT_EQ(test::tokens_of(list), test::tokens_of(steps, text)) << from << ": '" << text << "'";
    }
  }
}

// Stands for the pass of texts that are not plain. Fails the test if it is called.
struct NoSteps : TextPass {
  bool append_tokens(SequenceState&, size_t, size_t) const override {
    ADD_FAILURE();
    return false;
  }
};

std::unique_ptr<SpacedWordPass> pass_of(const Normalizer& normalizer, const PreTokenizer& pre_tokenizer,
                                        const AddedTokens& added_tokens, const SubwordModel& model) {
  return SpacedWordPass::of(normalizer, pre_tokenizer, added_tokens, model, std::make_shared<NoSteps>());
}

// The expected values are calculated by hand: the mark has the source of the word's first character.
TEST(SpacedWordPass, GivesTheMarkTheFirstCharacter) {
  const UnigramOfMarkedWords words;
  const AddedTokens none;
  const auto pass = pass_of(Normalizer(), words.pre_tokenizer, none, words.model);
  ASSERT_TRUE(pass);
  for (int time = 0; time < 2; ++time) {
    TokenList list;
    SequenceState sequence{
        .text = "the ss                    ", .what = "text", .split_special = false, .tokens = list, .word = 3};
    EXPECT_TRUE(pass->append_tokens(sequence, 0, sequence.text.size()));
    EXPECT_EQ(sequence.word, 5);
    EXPECT_EQ(test::tokens_of(list),
              (std::vector<Token>{{2, 3, {0, 3}}, {1, 4, {4, 5}}, {8, 4, {4, 5}}, {8, 4, {5, 6}}}));
  }
}

TEST(SpacedWordPass, LeavesTextsWithNormalizedAddedTokensToTheSteps) {
  const UnigramOfMarkedWords words;
  const auto takes = [&](const AddedTokens& added, std::string_view text, std::vector<VerbatimToken>* verbatim) {
    TokenList list;
    SequenceState sequence{.text = text, .what = "text", .split_special = false, .tokens = list, .verbatim = verbatim};
    const bool taken =
        pass_of(Normalizer(), words.pre_tokenizer, added, words.model)->append_tokens(sequence, 0, text.size());
    EXPECT_EQ(list.size() > 0, taken);
    return taken;
  };
  EXPECT_TRUE(takes(words.added, "the things", nullptr));
  EXPECT_FALSE(takes(words.added, "the <mask>", nullptr));
  std::vector<VerbatimToken> verbatim;
  EXPECT_FALSE(takes(words.added, "the things", &verbatim));
  const AddedTokens spaced(words.vocabulary, Normalizer(), {{.content = "a b", .normalized = true}}, "v");
  EXPECT_FALSE(takes(spaced, "the", nullptr));
}

TEST(SpacedWordPass, IsNotForOtherSteps) {
  const UnigramOfMarkedWords words;
  const AddedTokens none;
  EXPECT_FALSE(pass_of(BertNormalizer{.lowercase = true}, words.pre_tokenizer, none, words.model));
  PreTokenizer marks;
  marks.add(Metaspace());
  EXPECT_FALSE(pass_of(Normalizer(), marks, none, words.model));
  PreTokenizer first;
  first.add(BertSplitRules{.split_spaces = true});
  first.add(Metaspace{.prepend = Metaspace::Prepend::kFirst});
  EXPECT_FALSE(pass_of(Normalizer(), first, none, words.model));
}

}  // namespace
}  // namespace bert
