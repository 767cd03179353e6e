#include "tokenizer/model/wordpiece.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

std::vector<int32_t> ids(const WordPiece& model, std::string_view word) {
  std::vector<WordPieceToken> pieces;
  if (!model.split(word, pieces)) return {*model.unknown_id()};
  std::vector<int32_t> result;
  for (const WordPieceToken& piece : pieces) result.push_back(piece.id);
  return result;
}

TEST(WordPiece, TakesTheLongestPieceFromTheLeft) {
  const Vocabulary vocabulary = Vocabulary::from_lines("[UNK]\nun\nunaff\n##aff\n##able\n##ab\n##le\n##affable", "v");
  const WordPiece model(vocabulary, {}, "v");
  EXPECT_EQ(ids(model, "unaffable"), (std::vector<int32_t>{2, 4}));
  EXPECT_EQ(ids(model, "un"), (std::vector<int32_t>{1}));
  EXPECT_EQ(ids(model, "unaff"), (std::vector<int32_t>{2}));
}

TEST(WordPiece, YieldsOneUnknownForAWordThatCannotBeCovered) {
  const Vocabulary vocabulary = Vocabulary::from_lines("[UNK]\nun\n##a", "v");
  const WordPiece model(vocabulary, {}, "v");
  EXPECT_EQ(ids(model, "unab"), (std::vector<int32_t>{0}));
  EXPECT_EQ(ids(model, "x"), (std::vector<int32_t>{0}));
}

TEST(WordPiece, SaysWhichBytesAPieceIs) {
  const Vocabulary vocabulary = Vocabulary::from_lines("[UNK]\n\xC3\xA9\n##t\xC3\xA9", "v");
  const WordPiece model(vocabulary, {}, "v");
  std::vector<WordPieceToken> pieces;
  ASSERT_TRUE(model.split("\xC3\xA9t\xC3\xA9", pieces));
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[1].begin, 2u);
  EXPECT_EQ(pieces[1].end, 5u);
}

TEST(WordPiece, FindsATokenWithThePrefixAtTheStartOfAWordToo) {
  const Vocabulary vocabulary = Vocabulary::from_lines("[UNK]\n##a", "v");
  const WordPiece model(vocabulary, {}, "v");
  EXPECT_EQ(ids(model, "##a"), (std::vector<int32_t>{1}));
  EXPECT_EQ(ids(model, "a"), (std::vector<int32_t>{0}));
}

TEST(WordPiece, UsesThePrefixThatItIsGiven) {
  const Vocabulary vocabulary = Vocabulary::from_lines("<unk>\na\n_b", "v");
  EXPECT_EQ(ids(WordPiece(vocabulary, {"<unk>", "_", 100}, "v"), "ab"), (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(ids(WordPiece(vocabulary, {"<unk>", "", 100}, "v"), "aa"), (std::vector<int32_t>{1, 1}));
}

TEST(WordPiece, RefusesAVocabularyWithoutTheUnknownToken) {
  const Vocabulary vocabulary = Vocabulary::from_lines("a", "v");
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidFile, [&] { WordPiece(vocabulary, {}, "vocab.txt"); }),
            "'vocab.txt': the unknown token '[UNK]' is not in the vocabulary");
}

// Compares the model with the definition, written with a map, on random words and vocabularies of few letters.
TEST(WordPiece, EqualsThePlainDefinition) {
  std::mt19937 random(7);
  const auto random_text = [&](size_t longest) {
    std::string text;
    for (size_t n = 1 + random() % longest; n > 0; --n)
      text += random() % 8 == 0 ? std::string("\xC3\xA9") : std::string(1, "abc"[random() % 3]);
    return text;
  };
  for (int round = 0; round < 40; ++round) {
    std::string lines = "[UNK]";
    for (int i = 0; i < 60; ++i) lines += (random() % 2 == 0 ? "\n##" : "\n") + random_text(round % 4 == 0 ? 90 : 6);
    const Vocabulary vocabulary = Vocabulary::from_lines(lines, "v");
    const WordPiece model(vocabulary, {}, "v");
    std::map<std::string, int32_t> map;
    for (size_t id = 0; id < vocabulary.id_end(); ++id) {
      if (vocabulary.has(static_cast<int32_t>(id)))
        map[std::string(vocabulary.tokens()[id])] = static_cast<int32_t>(id);
    }
    for (int i = 0; i < 500; ++i) {
      std::string word = random_text(i % 10 == 0 ? 80 : 12);
      if (i % 7 == 0) word = lines.substr(random() % lines.size(), 95);
      std::vector<int32_t> expected;
      for (size_t begin = 0; begin < word.size();) {
        size_t end = word.size();
        while (end > begin && !map.contains((begin > 0 ? "##" : "") + word.substr(begin, end - begin))) --end;
        if (end == begin) {
          expected = {0};
          break;
        }
        expected.push_back(map[(begin > 0 ? "##" : "") + word.substr(begin, end - begin)]);
        begin = end;
      }
      ASSERT_EQ(ids(model, word), expected) << word;
    }
  }
}

}  // namespace
}  // namespace bert
