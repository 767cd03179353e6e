#include "tokenizer/pattern/byte_level_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "engine/base/utf8.h"

#include <string>

namespace bert {
namespace {

using Words = std::vector<std::string>;

Words words(AppendWords append_words, const std::string& text) {
  std::vector<TextRange> ranges;
  append_words(text, {0, text.size()}, ranges);
  Words result;
  for (const TextRange& range : ranges) result.push_back(text.substr(range.begin, range.end - range.begin));
  return result;
}

// The expected words are those of tokenizers 0.22.2.
TEST(ByteLevelWords, AreThoseOfGpt2) {
  EXPECT_EQ(words(append_gpt2_words, "I'll  say\n\n 'hello' x12 \u00E9"),
            (Words{"I", "'ll", " ", " say", "\n\n", " '", "hello", "'", " x", "12", " \u00E9"}));
  EXPECT_EQ(words(append_gpt2_words, "a  "), (Words{"a", "  "}));
}

// The expected words are calculated by hand from the pattern.
TEST(ByteLevelWords, LeavesTheLastWhiteSpaceToTheWordAfterIt) {
  EXPECT_EQ(words(append_gpt2_words, "\n\nx"), (Words{"\n", "\n", "x"}));
  EXPECT_EQ(words(append_gpt2_words, "  \tx"), (Words{"  ", "\t", "x"}));
  EXPECT_EQ(words(append_gpt2_words, "\u3000 x"), (Words{"\u3000", " x"}));
  EXPECT_EQ(words(append_gpt2_words, "'sit's're''"), (Words{"'s", "it", "'s", "'re", "''"}));
  EXPECT_EQ(words(append_gpt2_words, "x\u00B2\u0301!\u4E2D"), (Words{"x", "\u00B2", "\u0301!", "\u4E2D"}));
}

// The expected words are those of tokenizers 0.23.3.
TEST(ByteLevelWords, AreThoseOfLlama3) {
  EXPECT_EQ(words(append_llama3_words, "I'LL they'\u017F 'sit 12345 \tx  !?\n\n y \r\n  z  "),
            (Words{"I", "'LL", " they", "'\u017F", " '", "sit", " ", "123", "45", " ", "\tx", " ", " !?\n\n", " y",
                   " \r\n", " ", " z", "  "}));
  EXPECT_EQ(words(append_llama3_words, "\u00B2\u0301!\u4E2D\U00031350 a\u00A01'"),
            (Words{"\u00B2", "\u0301!", "\u4E2D\U00031350", " a", "\u00A0", "1", "'"}));
  EXPECT_EQ(words(append_llama3_words, "\n \n\nx  1"), (Words{"\n \n\n", "x", " ", " ", "1"}));
  EXPECT_EQ(words(append_llama3_words, "''re 'R \u00E9\r\n\r\n.\r"),
            (Words{"''", "re", " '", "R", " \u00E9", "\r\n\r\n", ".\r"}));
}

TEST(ByteLevelWords, OfQwen2HaveSingleDigits) {
  EXPECT_EQ(words(append_qwen2_words, "a 12 3"), (Words{"a", " ", "1", "2", " ", "3"}));
}

// Where ends_word() says for two characters that a word ends between them, one does, whatever stands around them.
TEST(ByteLevelWords, EndWhereTheyAreSaidToEnd) {
  constexpr char32_t kAround[] = {U'a', U'S', U'1', U'.', U'\'', U' ', U'\n', U'\r', U'\t', 0x17F, 0x660, 0xA0};
  size_t ends = 0;
  for (const KnownExpression& known : kKnownExpressions) {
    if (known.ends_word == nullptr) continue;
    std::mt19937 random(3);
    for (int round = 0; round < 20000; ++round) {
      std::u32string characters;
      for (size_t i = 2 + random() % 8; i > 0; --i) characters += kAround[random() % std::size(kAround)];
      std::string text;
      std::vector<size_t> said;
      for (size_t i = 0; i < characters.size(); ++i) {
        if (i > 0 && known.ends_word(characters[i - 1], characters[i])) said.push_back(text.size());
        append_utf8(text, characters[i]);
      }
      std::vector<TextRange> words;
      known.append_words(text, {0, text.size()}, words);
      for (const size_t end : said) {
        EXPECT_TRUE(std::any_of(words.begin(), words.end(), [&](TextRange word) { return word.end == end; }))
            << "'" << text << "' at " << end;
      }
      ends += said.size();
    }
  }
  EXPECT_GT(ends, 50000u);
}

TEST(ByteLevelWords, StayWithinTheRange) {
  for (const AppendWords append_words : {append_gpt2_words, append_llama3_words, append_qwen2_words}) {
    std::vector<TextRange> ranges;
    append_words("a'll bc", {1, 6}, ranges);
    EXPECT_EQ(ranges, (std::vector<TextRange>{{1, 4}, {4, 6}}));
  }
}

// The expected values are calculated by hand.
TEST(ByteLevelWords, FindWhiteSpaceThatIsMoreThanASpace) {
  std::vector<TextRange> ranges;
  append_white_space(" a  b\n c\td ", {1, 12}, ranges);
  EXPECT_EQ(ranges, (std::vector<TextRange>{{2, 4}, {5, 7}, {8, 9}}));
}

}  // namespace
}  // namespace bert
