#include "tokenizer/model/word_level.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/tokenizer/model/subword_fixture.h"

namespace bert {
namespace {

TEST(WordLevel, TakesWholeWords) {
  const Vocabulary vocabulary = Vocabulary::from_lines("[UNK]\na\nab\n", "f");
  const WordLevel model(vocabulary, {"[UNK]"}, "f");
  const std::vector<TextRange> words = {{0, 2}, {3, 6}, {7, 8}};
  test::SubwordTokens sink;
  EXPECT_EQ(model.tokenize("ab abc a", words, sink), 3);
  const std::vector<SubwordToken>& tokens = sink.list;
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[0].id, 2);
  EXPECT_EQ(tokens[1].id, 0);
  EXPECT_EQ(tokens[1].word, 1);
  EXPECT_EQ(tokens[1].end, 6u);
  EXPECT_EQ(tokens[2].id, 1);
}

TEST(WordLevel, RefusesAnUnknownTokenThatIsNotInTheVocabulary) {
  const Vocabulary vocabulary = Vocabulary::from_lines("a\n", "f");
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidFile, [&] { WordLevel(vocabulary, {"[UNK]"}, "f"); }),
            "'f': the unknown token '[UNK]' is not in the vocabulary");
}

}  // namespace
}  // namespace bert
