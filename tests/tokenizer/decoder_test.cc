#include "tokenizer/decoder.h"

#include <gtest/gtest.h>

#include <vector>

namespace bert {
namespace {

std::string decode(const Decoder& decoder, const std::vector<std::string>& tokens) {
  std::string text;
  for (size_t i = 0; i < tokens.size(); ++i) decoder.append(text, tokens[i], i);
  return text;
}

// Expected values by the rule of the reference's WordPiece decoder, by hand.
TEST(Decoder, JoinsPiecesAndLeavesTheFirstTokenAsItIs) {
  EXPECT_EQ(decode({}, {"un", "##aff", "##able", "word"}), "unaffable word");
  EXPECT_EQ(decode({}, {"##able", "##able"}), "##ableable");
}

TEST(Decoder, CleansUpTokenByToken) {
  EXPECT_EQ(decode({}, {"a", ",", "b", ".", "c", "!", "d", "?"}), "a, b. c! d?");
  EXPECT_EQ(decode({}, {"don", "'", "t"}), "don ' t");
  EXPECT_EQ(decode({}, {"we", "'re", "n't", "do not"}), "we'ren't don't");
}

TEST(Decoder, KeepsSpacesWithoutCleanup) { EXPECT_EQ(decode({true, "##", false}, {"a", ",", "##b"}), "a ,b"); }

TEST(Decoder, JoinsByOneSpaceWhereTheFileHasNoDecoder) {
  EXPECT_EQ(decode({false, "", false}, {"a", "##b", "."}), "a ##b .");
}

}  // namespace
}  // namespace bert
