#include "tokenizer/model/vocabulary.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

using test::error_of;

TEST(Vocabulary, CountsLinesFromZero) {
  const Vocabulary vocabulary = Vocabulary::from_lines("a\nb\nc", "vocab.txt");
  EXPECT_EQ(vocabulary.id("a"), 0);
  EXPECT_EQ(vocabulary.id("c"), 2);
  EXPECT_EQ(vocabulary.id("d"), std::nullopt);
  EXPECT_EQ(vocabulary.token(1), "b");
  EXPECT_EQ(vocabulary.token(3), "");
  EXPECT_EQ(vocabulary.token(-1), "");
  EXPECT_EQ(vocabulary.id_end(), 3u);
}

// The expected tokens are those of transformers 5.23: U+2003 and U+2028 are white space, and the third line is blank.
TEST(Vocabulary, EndsALineAtLineFeedOnlyAndDropsTheWhiteSpaceBeforeIt) {
  const Vocabulary vocabulary =
      Vocabulary::from_lines("a\r\nb \t\xE2\x80\x83\r\r\n\xE2\x80\xA8\n c\xE2\x80\xA8 d \n", "vocab.txt");
  EXPECT_EQ(vocabulary.id("a"), 0);
  EXPECT_EQ(vocabulary.id("b"), 1);
  EXPECT_EQ(vocabulary.id(""), 2);
  EXPECT_EQ(vocabulary.id(" c\xE2\x80\xA8 d"), 3);
  EXPECT_EQ(vocabulary.id_end(), 4u);
}

TEST(Vocabulary, GivesABlankLineItsId) {
  const Vocabulary vocabulary = Vocabulary::from_lines("a\n\nb\n", "vocab.txt");
  EXPECT_EQ(vocabulary.id("b"), 2);
  EXPECT_EQ(vocabulary.token(1), "");
  EXPECT_TRUE(vocabulary.has(1));
}

TEST(Vocabulary, LetsTheLaterOfTwoEqualLinesHoldAndTheEarlierIdHasNoToken) {
  const Vocabulary vocabulary = Vocabulary::from_lines("a\nb\na\n", "vocab.txt");
  EXPECT_EQ(vocabulary.id("a"), 2);
  EXPECT_FALSE(vocabulary.has(0));
  EXPECT_EQ(vocabulary.token(0), "");
  EXPECT_EQ(vocabulary.size(), 2u);
}

TEST(Vocabulary, StaysWholeWhenMoved) {
  Vocabulary first = Vocabulary::from_lines("a\nb", "vocab.txt");
  const Vocabulary second = std::move(first);
  EXPECT_EQ(second.token(1), "b");
  EXPECT_EQ(second.id("a"), 0);
}

TEST(Vocabulary, RefusesInvalidUtf8WithItsPosition) {
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile, [] { Vocabulary::from_lines("ab\n\xFF", "vocab.txt"); }),
            "'vocab.txt': not valid UTF-8 at byte 3");
}

TEST(Vocabulary, RefusesATokenThatIsTooLong) {
  const std::string text = "a\n" + std::string(65536, 'x');
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile, [&] { Vocabulary::from_lines(text, "vocab.txt"); }),
            "'vocab.txt': line 2 has 65536 bytes, expected at most 65535");
}

TEST(Vocabulary, TakesPairsWithGaps) {
  const Vocabulary vocabulary = Vocabulary::from_pairs({{"b", 5}, {"a", 0}}, "tokenizer.json");
  EXPECT_EQ(vocabulary.id("b"), 5);
  EXPECT_EQ(vocabulary.token(3), "");
  EXPECT_FALSE(vocabulary.has(3));
  EXPECT_EQ(vocabulary.id_end(), 6u);
  EXPECT_EQ(vocabulary.size(), 2u);
}

TEST(Vocabulary, RefusesOneIdForTwoTokensTwoIdsForOneAndIdsOutOfRange) {
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile,
                     [] {
                       Vocabulary::from_pairs({{"a", 1}, {"a", 2}}, "t");
                     }),
            "'t': duplicate key 'a'");
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile,
                     [] {
                       Vocabulary::from_pairs({{"a", 1}, {"b", 1}}, "t");
                     }),
            "'t': id 1 belongs to 'a' and to 'b'");
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile,
                     [] {
                       Vocabulary::from_pairs({{"a", 1u << 24}}, "t");
                     }),
            "'t': token 'a' has id 16777216, expected less than 16777216");
}

}  // namespace
}  // namespace bert
