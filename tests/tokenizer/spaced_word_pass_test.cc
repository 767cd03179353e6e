#include "tokenizer/spaced_word_pass.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/base/utf8.h"
#include "tests/support/random.h"
#include "tokenizer/model/unigram.h"
#include "tokenizer/pipeline.h"

namespace bert {

bool operator==(const Token& a, const Token& b);
void PrintTo(const Token& token, std::ostream* out);

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

  // By the steps over all of the text.
  std::vector<Token> tokens_by_steps(std::string_view text) const {
    struct Sink : SubwordSink {
      const NormalizedText* text;
      std::vector<Token> tokens;
      void push_back(const SubwordToken& token) override {
        tokens.push_back({token.id, token.word, text->source({token.begin, token.end})});
      }
    };
    SplitText split;
    split.text = original_text(text, 0);
    split.words.push_back({0, text.size()});
    pre_tokenizer.apply(split);
    Sink sink;
    sink.text = &split.text;
    model.tokenize(split.text.bytes, split.words, sink);
    return sink.tokens;
  }
};

std::vector<Token> tokens_of_list(const TokenList& list) {
  const TokenColumns kept = list.kept();
  std::vector<Token> tokens;
  for (size_t i = 0; i < kept.size(); ++i) tokens.push_back({kept.ids[i], kept.words[i], kept.sources[i]});
  return tokens;
}

TEST(SpacedWordPass, GivesWhatTheStepsGive) {
  const UnigramOfMarkedWords words;
  const AddedTokens none;
  const Pipeline pipeline(Normalizer(), words.pre_tokenizer, none, words.model);
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
      pipeline.encode(text, "text", false, list);
      ASSERT_EQ(tokens_of_list(list), words.tokens_by_steps(text)) << from << ": '" << text << "'";
    }
  }
}

// By hand: the mark has the source of the word's first character.
TEST(SpacedWordPass, GivesTheMarkTheFirstCharacter) {
  const UnigramOfMarkedWords words;
  const auto pass = SpacedWordPass::of(Normalizer(), words.pre_tokenizer, words.model);
  ASSERT_TRUE(pass);
  for (int time = 0; time < 2; ++time) {
    TokenList list;
    int32_t word = 3;
    pass->append_tokens("the ss                    ", 0, word, list, [](size_t, size_t) { FAIL(); });
    EXPECT_EQ(word, 5);
    EXPECT_EQ(tokens_of_list(list),
              (std::vector<Token>{{2, 3, {0, 3}}, {1, 4, {4, 5}}, {8, 4, {4, 5}}, {8, 4, {5, 6}}}));
  }
}

TEST(SpacedWordPass, LeavesTextsWithNormalizedAddedTokensToTheSteps) {
  const UnigramOfMarkedWords words;
  const auto pass = SpacedWordPass::of(Normalizer(), words.pre_tokenizer, words.model);
  EXPECT_TRUE(pass->takes("the mask", words.added, false));
  EXPECT_FALSE(pass->takes("the <mask>", words.added, false));
  const AddedTokens spaced(words.vocabulary, Normalizer(), {{.content = "a b", .normalized = true}}, "v");
  EXPECT_FALSE(pass->takes("the", spaced, false));
}

TEST(SpacedWordPass, IsNotForOtherSteps) {
  const UnigramOfMarkedWords words;
  EXPECT_FALSE(SpacedWordPass::of(BertNormalizer{.lowercase = true}, words.pre_tokenizer, words.model));
  PreTokenizer marks;
  marks.add(Metaspace());
  EXPECT_FALSE(SpacedWordPass::of(Normalizer(), marks, words.model));
  PreTokenizer first;
  first.add(BertSplitRules{.split_spaces = true});
  first.add(Metaspace{.prepend = Metaspace::Prepend::kFirst});
  EXPECT_FALSE(SpacedWordPass::of(Normalizer(), first, words.model));
}

}  // namespace
}  // namespace bert
