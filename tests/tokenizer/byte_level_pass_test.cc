#include "tokenizer/byte_level_pass.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/base/utf8.h"
#include "tests/support/random.h"
#include "tests/tokenizer/tokens.h"
#include "tokenizer/model/byte_level.h"
#include "tokenizer/tokenizer_steps.h"

namespace bert {
namespace {

const std::string kQwen2Words(kKnownExpressions[2].expression);
const std::string kLlama3Words(kKnownExpressions[1].expression);

Vocabulary vocabulary_of_bytes(const std::vector<std::string>& tokens) {
  return Vocabulary::from_list({tokens.begin(), tokens.end()}, "v");
}

// A model of the 256 characters of bytes and a few merges. Some of its tokens end inside a UTF-8 character.
struct ByteLevelModel {
  std::vector<std::pair<std::string, std::string>> merges;
  std::vector<std::string> tokens;
  Vocabulary vocabulary;
  Bpe bpe;
  ByteLevelModel() : vocabulary(vocabulary_of_bytes(add())), bpe(vocabulary, {.merges = merges}, "v") {}

 private:
  const std::vector<std::string>& add() {
    for (int byte = 0; byte < 256; ++byte) append_utf8(tokens.emplace_back(), char_of_byte(static_cast<char>(byte)));
    const auto merge = [&](std::string_view left, std::string_view right) {
      std::string a, b;
      for (const char byte : left) append_utf8(a, char_of_byte(byte));
      for (const char byte : right) append_utf8(b, char_of_byte(byte));
      merges.emplace_back(a, b);
      tokens.push_back(a + b);
    };
    merge(" ", "t");
    merge("h", "e");
    merge(" t", "he");
    merge("i", "n");
    merge("\xE4", "\xB8");
    merge("\xAD", "\xE5");
    merge("\xC3", "\xA9");
    merge("e", "\xCC");
    merge("\n", "\n");
    return tokens;
  }
};

const AddedTokens kNoAddedTokens;

std::string text_of_parts(test::Random& random) {
  static const std::vector<std::string> kParts = {"the",
                                                  " the",
                                                  " in",
                                                  "a",
                                                  "Z",
                                                  "'s",
                                                  "'Re",
                                                  "12",
                                                  "345",
                                                  " ",
                                                  "  ",
                                                  "\n",
                                                  "\n\n",
                                                  "\r",
                                                  "\t",
                                                  ".",
                                                  "?!",
                                                  "\u00E9",
                                                  "\u4E2D\u56FD",
                                                  "\u3000",
                                                  "\u00A0",
                                                  "\U0001F600",
                                                  "\u0301",
                                                  "e",
                                                  "incomprehensibilities",
                                                  std::string(1, '\0')};
  std::string text;
  for (size_t parts = 1 + random.below(12); parts > 0; --parts) text += kParts[random.below(kParts.size())];
  if (random.below(50) == 0) text.insert(0, std::string(300, 'h'));
  return text;
}

TEST(ByteLevelPass, GivesWhatTheStepsGive) {
  const ByteLevelModel model;
  std::vector<PreTokenizer> pre_tokenizers;
  for (const bool adds_space : {false, true}) pre_tokenizers.emplace_back().add(ByteLevel{adds_space, true});
  for (const std::string& expression : {kQwen2Words, kLlama3Words}) {
    PreTokenizer& both = pre_tokenizers.emplace_back();
    both.add(PatternSplit{Pattern::regular_expression(expression, "f: x")});
    both.add(ByteLevel{false, false});
  }
  Normalizer nfc;
  nfc.add(NormalForm{.composed = true});
  test::Random random(9);
  for (const Normalizer& normalizer : {Normalizer(), nfc}) {
    for (const PreTokenizer& pre_tokenizer : pre_tokenizers) {
      const auto pass = ByteLevelPass::of(normalizer, pre_tokenizer, kNoAddedTokens, model.bpe);
      ASSERT_TRUE(pass);
      const TokenizerSteps steps(normalizer, pre_tokenizer, kNoAddedTokens, model.bpe, 1000);
      size_t taken = 0;
      for (int i = 0; i < 4000; ++i) {
        const std::string text = text_of_parts(random);
        const auto tokens = test::tokens_of(*pass, text);
        if (!tokens) continue;
        ++taken;
        const auto expected = test::tokens_of(steps, text);
        ASSERT_EQ(tokens, expected) << "'" << text << "'";
        ASSERT_EQ(test::tokens_of(*pass, text), expected) << "from the cache: '" << text << "'";
      }
      EXPECT_GT(taken, 1000u);
    }
  }
}

TEST(ByteLevelPass, StaysInItsRange) {
  const ByteLevelModel model;
  PreTokenizer pre_tokenizer;
  pre_tokenizer.add(ByteLevel{true, true});
  const auto pass = ByteLevelPass::of(Normalizer(), pre_tokenizer, kNoAddedTokens, model.bpe);
  TokenList list;
  SequenceState sequence{.text = "xthe the", .what = "text", .split_special = false, .tokens = list, .word = 5};
  EXPECT_TRUE(pass->append_tokens(sequence, 1, 6));
  EXPECT_EQ(sequence.word, 7);
  const TokenColumns kept = list.kept();
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept.ids[0], *model.vocabulary.id("\u0120the"));
  EXPECT_EQ(kept.words[0], 5);
  EXPECT_EQ(kept.sources[0], (Offset{1, 4}));
  EXPECT_EQ(kept.sources[1], (Offset{4, 6}));
}

TEST(ByteLevelPass, IsNotForOtherSteps) {
  const ByteLevelModel model;
  PreTokenizer bytes;
  bytes.add(ByteLevel{false, true});
  EXPECT_TRUE(ByteLevelPass::of(Normalizer(), bytes, kNoAddedTokens, model.bpe));
  Normalizer nfkc;
  nfkc.add(NormalForm{.compatibility = true, .composed = true});
  EXPECT_FALSE(ByteLevelPass::of(nfkc, bytes, kNoAddedTokens, model.bpe));
  EXPECT_FALSE(ByteLevelPass::of(BertNormalizer{.lowercase = true}, bytes, kNoAddedTokens, model.bpe));
  PreTokenizer uncut;
  uncut.add(ByteLevel{false, false});
  EXPECT_FALSE(ByteLevelPass::of(Normalizer(), uncut, kNoAddedTokens, model.bpe));
  PreTokenizer inverted;
  inverted.add(PatternSplit{Pattern::regular_expression(kQwen2Words, "f: x"), SplitBehavior::kIsolated, true});
  inverted.add(ByteLevel{false, false});
  EXPECT_FALSE(ByteLevelPass::of(Normalizer(), inverted, kNoAddedTokens, model.bpe));
  const Vocabulary few = vocabulary_of_bytes({"a"});
  EXPECT_FALSE(ByteLevelPass::of(Normalizer(), bytes, kNoAddedTokens, Bpe(few, {}, "v")));
}

}  // namespace
}  // namespace bert
