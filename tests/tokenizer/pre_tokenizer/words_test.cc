#include "tokenizer/pre_tokenizer/words.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const Offset& word : split_words(text)) words.emplace_back(text.substr(word.begin, word.end - word.begin));
  return words;
}

using Words = std::vector<std::string>;

// As re.findall(r"\w+(?:[-_]\w+)*|\S", text) gives them.
TEST(SplitWords, JoinsLettersNumbersAndSingleHyphens) {
  EXPECT_EQ(words_of("Jean-Luc_2 isn't -x- a--b c-"),
            (Words{"Jean-Luc_2", "isn", "'", "t", "-", "x", "-", "a", "-", "-", "b", "c", "-"}));
  EXPECT_EQ(words_of("_a_-_b"), (Words{"_a_-_b"}));
  EXPECT_EQ(words_of("2,5 € ½²"), (Words{"2", ",", "5", "€", "½²"}));
  EXPECT_EQ(words_of(""), Words());
  EXPECT_EQ(words_of(" \t\n\x1c\xe3\x80\x80\xc2\xa0\xc2\x85"), Words());
}

TEST(SplitWords, KeepsOtherScriptsTogetherAndMarksAlone) {
  EXPECT_EQ(words_of("东京 Tōkyō"), (Words{"东京", "Tōkyō"}));
  EXPECT_EQ(words_of("e\xcc\x81t"), (Words{"e", "\xcc\x81", "t"}));  // a combining accent
  EXPECT_EQ(words_of("😀👍🏽"), (Words{"😀", "👍", "🏽"}));
  EXPECT_EQ(words_of("\xe2\x80\x8b"
                     "a"),
            (Words{"\xe2\x80\x8b", "a"}));  // zero width space
}

TEST(SplitWords, RefuseInvalidText) {
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidText, [] { split_words("ab\xff"); }), "text: not valid UTF-8 at byte 2");
}

}  // namespace
}  // namespace bert
