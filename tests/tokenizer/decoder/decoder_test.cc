#include "tokenizer/decoder/decoder.h"

#include <gtest/gtest.h>
#include <vector>

#include "bert/tokenizer.h"

namespace bert {
namespace {

std::string decode(const Decoder& decoder, const std::vector<std::string>& tokens) { return decoder.decode(tokens); }

const Decoder kWordPiece = {{WordPieceDecoder()}};

// The expected values are calculated by hand from the rule of the reference's WordPiece decoder.
TEST(Decoder, JoinsPiecesAndLeavesTheFirstTokenAsItIs) {
  EXPECT_EQ(decode(kWordPiece, {"un", "##aff", "##able", "word"}), "unaffable word");
  EXPECT_EQ(decode(kWordPiece, {"##able", "##able"}), "##ableable");
}

TEST(Decoder, CleansUpTokenByToken) {
  EXPECT_EQ(decode(kWordPiece, {"a", ",", "b", ".", "c", "!", "d", "?"}), "a, b. c! d?");
  EXPECT_EQ(decode(kWordPiece, {"don", "'", "t"}), "don ' t");
  EXPECT_EQ(decode(kWordPiece, {"we", "'re", "n't", "do not"}), "we'ren't don't");
}

TEST(Decoder, KeepsSpacesWithoutCleanup) {
  EXPECT_EQ(decode({{WordPieceDecoder{"##", false}}}, {"a", ",", "##b"}), "a ,b");
}

TEST(Decoder, JoinsByOneSpaceWhereTheFileHasNoDecoder) { EXPECT_EQ(decode({}, {"a", "##b", "."}), "a ##b ."); }

// The expected values are those of tokenizers 0.22.2.
TEST(Decoder, TurnsCharactersBackToBytes) {
  EXPECT_EQ(decode({{ByteLevelDecoder()}}, {"\u0120h", "i", "\u00C3", "\u00C2", "\u00A9", "\u6F22"}),
            " hi\uFFFD\u00A9\u6F22");
}

TEST(Decoder, TurnsMarksToSpaces) {
  EXPECT_EQ(decode({{MetaspaceDecoder()}}, {"\u2581a", "b\u2581", "\u2581c"}), "ab  c");
  EXPECT_EQ(decode({{SuffixDecoder()}}, {"a</w>", "b</w>"}), "a b");
}

TEST(Decoder, TakesStepsInTheirOrder) {
  const Decoder decoder = {
      {ReplaceDecoder{Pattern::text("\u2581"), " "}, ByteFallbackDecoder(), FuseDecoder(), StripDecoder{U' ', 1, 0}}};
  EXPECT_EQ(decode(decoder, {"\u2581a", "<0xE2>", "<0x98>", "x", "<0xE2>", "<0x98>", "<0x83>"}),
            "a\uFFFD\uFFFDx\u2603");
}

TEST(Decoder, PutsOneReplacementForEachBrokenPart) {
  // The bytes E2 98 begin a character, and get one replacement; the bytes 98 and C0 get one each.
  EXPECT_EQ(decode({{ByteLevelDecoder()}}, {"\u00E2\u013A", "x", "\u013A\u00C0"}), "\uFFFDx\uFFFD\uFFFD");
}

TEST(CleanUp, RemovesSpacesBeforePunctuationAndInContractions) {
  for (const CleanUp rules : {CleanUp::kTransformers, CleanUp::kTokenizers}) {
    EXPECT_EQ(clean_up_spaces("it ' s a dog , is n't it ? no , we 've seen", rules),
              "it's a dog, isn't it? no, we've seen");
  }
}

TEST(CleanUp, ShortensDoNotByTokenizersRules) {
  EXPECT_EQ(clean_up_spaces("we do not .", CleanUp::kTransformers), "we do not.");
  EXPECT_EQ(clean_up_spaces("we do not .", CleanUp::kTokenizers), "we don't.");
}

// The expected texts are those of transformers 5.23. Its WordPiece decoder changes each token alone; its clean-up
// changes the whole text.
TEST(CleanUp, IsDoneWhereTokenizerConfigSaysSo) {
  const std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nfox\n'\ns\n,\ni\nve\n!\n";
  const auto decoded = [&](const std::string& config) {
    const Tokenizer tokenizer = Tokenizer::from_vocabulary(vocabulary, config);
    return tokenizer.decode(tokenizer.tokenize("the fox 's , i 've !").ids, true);
  };
  EXPECT_EQ(decoded(""), "the fox ' s, i ' ve!");
  EXPECT_EQ(decoded(R"({"clean_up_tokenization_spaces": false})"), "the fox ' s, i ' ve!");
  EXPECT_EQ(decoded(R"({"clean_up_tokenization_spaces": true})"), "the fox's, i've!");
}

}  // namespace

}  // namespace bert
