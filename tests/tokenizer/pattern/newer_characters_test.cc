#include "tokenizer/pattern/newer_characters.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tokenizer/pattern/regular_expression.h"

namespace bert {
namespace {

// Returns the characters of all matches.
std::string found(const char* expression, std::string_view text) {
  std::vector<TextRange> matches;
  RegularExpression(expression, "f: x").find(text, matches);
  std::string result;
  for (const TextRange& match : matches) result += text.substr(match.begin, match.end - match.begin);
  return result;
}

// The expected matches are those of tokenizers 0.23.3. All these characters are newer than Unicode 14: U+31350 is a
// letter, U+1FAE8 a symbol, U+10D40 a digit, U+10D50 a capital letter and U+1E030 a modifier letter.
TEST(NewerCharacters, BelongToTheirCategories) {
  EXPECT_EQ(found("\\p{L}+", "1a\U00031350b-"), "a\U00031350b");
  EXPECT_EQ(found("\\w+", "a\U00031350b \u00B2\u00BD"), "a\U00031350b\u00B2\u00BD");
  EXPECT_EQ(found("[^\\W\\d]", "1a\U00010D40\U00010D50"), "a\U00010D50");
  EXPECT_EQ(found("(?<=\\p{L})\\P{L}", "a1\U00031350\u00E9,"), "1,");
  EXPECT_EQ(found("[\\P{L}]", "a\U00031350 1"), " 1");
  EXPECT_EQ(found("\\p{^Lowercase_Letter}", "a\U00010D50"), "\U00010D50");
  EXPECT_EQ(found("\\D", "1\U00010D40a"), "a");
}

TEST(NewerCharacters, KeepTheSetsOfAnExpressionThatIgnoresCase) {
  EXPECT_EQ(found("(?i:\\p{Lu})|k", "aA\U00010D50\u212A\u0345"), "A\U00010D50\u212A");
}

TEST(NewerCharacters, MakeWordBoundaries) {
  EXPECT_EQ(found("\\bx\\b", "x \U0001E030x x."), "xx");
  EXPECT_EQ(found("[\\b]", "\b"), "\b");
}

TEST(NewerCharacters, AndSymbolsAreInThePosixBracketOfPunctuation) {
  EXPECT_EQ(found("[[:punct:]]", "a+\U0001FAE8!"), "+\U0001FAE8!");
  EXPECT_EQ(found("[[:^punct:]b]", "a+\U0001FAE8!b"), "ab");
}

TEST(NewerCharacters, AreUnknownForOtherProperties) {
  for (const char* property : {"\\p{Han}", "\\P{^Latin}", "[[:alpha:]]", "\\X"}) {
    const std::string name = property[0] == '[' ? "[:alpha:]" : property;
    EXPECT_EQ(test::error_of(ErrorCode::kUnsupported, [&] { with_newer_characters(property, "f"); }),
              "f: '" + name + "' is not supported, expected a general category such as \\p{L}, or [:punct:]");
  }
}

TEST(NewerCharacters, LeaveTheRestOfAnExpression) {
  for (const char* expression : {"a[]b]c", "[^]x]", "\\\\p{L}", "\\s+(?!\\S)", "\\p{Zs}[\\]\\[]", "\\p", "\\"}) {
    EXPECT_EQ(with_newer_characters(expression, "f"), expression);
  }
}

}  // namespace
}  // namespace bert
