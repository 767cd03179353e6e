#include "tokenizer/sequence_tokenizer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

#include "engine/base/utf8.h"
#include "tests/support/expect_error.h"
#include "tests/support/plain_tokenizer.h"
#include "tests/support/share.h"
#include "tests/support/test_data.h"
#include "tests/tokenizer/normalizer/normalizers.h"
#include "tests/tokenizer/tokens.h"
#include "tokenizer/settings.h"

namespace bert {
namespace {

// A SequenceTokenizer with the objects that it refers to.
struct Fixture {
  Vocabulary vocabulary;
  AddedTokens added;
  WordPiece model;
  SequenceTokenizer tokenizer;
  Fixture(std::string_view lines, const BertNormalizer& normalizer, const std::vector<AddedToken>& tokens,
          const BertSplitRules& pre_tokenizer = kBertPreTokenizer)
      : vocabulary(Vocabulary::from_lines(lines, "vocab.txt")),
        added(vocabulary, normalizer, tokens, "vocab.txt"),
        model(vocabulary, {}, "vocab.txt"),
        tokenizer(normalizer, pre_tokenizer, added, model) {}

  std::vector<Token> tokens(std::string_view text, bool split_special = false) const {
    TokenList result;
    tokenizer.append_tokens(text, "text", split_special, result);
    return test::tokens_of(result);
  }
  std::string words(std::string_view text) const {
    std::string result;
    for (const Token& token : tokens(text)) {
      const AddedToken* special = added.token(token.id);
      result += (result.empty() ? "" : " ") + std::string(special ? special->content : vocabulary.token(token.id));
    }
    return result;
  }
};

// Expects these words of the pre-tokenizer. The vocabulary consists of the expected words.
void expect_words(const BertNormalizer& normalizer, std::string_view text, const std::vector<std::string>& expected) {
  std::string lines = "[UNK]";
  for (const std::string& word : expected) lines += "\n" + word;
  const Fixture fixture(lines, normalizer, {});
  std::string joined;
  for (const std::string& word : expected) joined += (joined.empty() ? "" : " ") + word;
  EXPECT_EQ(fixture.words(text), joined) << text;
}

// The expected words are those of tokenizers 0.22.2.
TEST(SequenceTokenizer, CutsWordsAsTheReferenceUncased) {
  expect_words(test::kUncased, "Hello, World!", {"hello", ",", "world", "!"});
  expect_words(test::kUncased, "\u0130stanbul", {"istanbul"});
  expect_words(test::kUncased, "\u03A3\u0391\u03A3.", {"\u03C3\u03B1\u03C3", "."});
  expect_words(test::kUncased, "na\u00EFve caf\u00E9", {"naive", "cafe"});
  expect_words(test::kUncased, "x\u0085y", {"xy"});
  expect_words(test::kUncased, "x\x0By", {"xy"});
  expect_words(test::kUncased, "x\ty", {"x", "y"});
  expect_words(test::kUncased, "x\u2028y", {"x", "y"});
  expect_words(test::kUncased, "x\u200By", {"xy"});
  expect_words(test::kUncased, "\uE000x", {"x"});
  expect_words(test::kUncased, "\u0378x", {"\u0378x"});
  expect_words(test::kUncased, "\u4E2D\u56FDab", {"\u4E2D", "\u56FD", "ab"});
  expect_words(test::kUncased, "\U0002B820", {"\U0002B820"});
  expect_words(test::kUncased, "$5+3=8", {"$", "5", "+", "3", "=", "8"});
  expect_words(test::kUncased, "\u201Cq\u201D\u2014x\u2026", {"\u201C", "q", "\u201D", "\u2014", "x", "\u2026"});
  expect_words(test::kUncased, "\u20B95", {"\u20B95"});
  expect_words(test::kUncased, "x\u2E52y", {"x\u2E52y"});
  expect_words(test::kUncased, "1\uFE0F\u20E3", {"1\u20E3"});
  expect_words(test::kUncased, "\u1E9E", {"\u00DF"});
  expect_words(test::kUncased, "\u212A", {"k"});
  expect_words(test::kUncased, "don't", {"don", "'", "t"});
  expect_words(test::kUncased, "\u037E", {";"});
  expect_words(test::kUncased, "\uF900", {"\u8C48"});
  expect_words(test::kUncased, "", {});
  expect_words(test::kUncased, " \t\n\u00A0\u200B", {});
}

TEST(SequenceTokenizer, CutsWordsAsTheReferenceCased) {
  expect_words(test::kCased, "Hello, World!", {"Hello", ",", "World", "!"});
  expect_words(test::kCased, "na\u00EFve", {"na\u00EFve"});
  expect_words(test::kCased, "a\u0301", {"a\u0301"});
  expect_words(test::kCased, "1\uFE0F\u20E3", {"1\uFE0F\u20E3"});
  expect_words(test::kCased, "\u037E", {"\u037E"});
  expect_words(test::kCased, "\u212B", {"\u212B"});
}

TEST(SequenceTokenizer, TriesAWordOfOneHundredCharactersAndNoLonger) {
  const Fixture fixture("[UNK]\na\n##a\n\u00E9\n##\u00E9", test::kCased, {});
  EXPECT_EQ(fixture.tokens(std::string(99, 'a')).size(), 99u);
  EXPECT_EQ(fixture.tokens(std::string(100, 'a')).size(), 100u);
  EXPECT_EQ(fixture.tokens(std::string(101, 'a')), (std::vector<Token>{{0, 0, {0, 101}}}));
  EXPECT_EQ(fixture.tokens(std::string(200, 'a') + " a"), (std::vector<Token>{{0, 0, {0, 200}}, {1, 1, {201, 202}}}));
  std::string accented;
  for (int i = 0; i < 100; ++i) accented += "\u00E9";
  EXPECT_EQ(fixture.tokens(accented).size(), 100u);
  EXPECT_EQ(fixture.tokens(accented + "a"), (std::vector<Token>{{0, 0, {0, 201}}}));
}

TEST(SequenceTokenizer, CountsAnAddedTokenAsAWord) {
  const Fixture fixture("[UNK]\na\nb", test::kUncased, {{.content = "[E]", .special = true}});
  EXPECT_EQ(fixture.tokens("a[E] b"), (std::vector<Token>{{1, 0, {0, 1}}, {3, 1, {1, 4}}, {2, 2, {5, 6}}}));
  EXPECT_EQ(fixture.words("[E]"), "[E]");
}

// The expected tokens and offsets are the reference's for these added tokens.
TEST(SequenceTokenizer, FindsNormalizedAddedTokensWithTheirOriginalPlaces) {
  const Fixture fixture("[UNK]\nx\ny", test::kUncased,
                        {{.content = "foo bar", .lstrip = true, .rstrip = true, .normalized = true}});
  EXPECT_EQ(fixture.tokens("x  Foo bar  y f\u00F3o bar"),
            (std::vector<Token>{{1, 0, {0, 1}}, {3, 1, {1, 12}}, {2, 2, {12, 13}}, {3, 3, {13, 22}}}));
}

TEST(SequenceTokenizer, SplitsWordClassesForTheWhitespacePreTokenizer) {
  const Fixture fixture("[UNK]\na_1\n--\nb\n!", test::kCased, {}, {.split_word_classes = true});
  EXPECT_EQ(fixture.words("a_1--b !"), "a_1 -- b !");
}

TEST(SequenceTokenizer, SplitsAtSpacesOnlyForWhitespaceSplit) {
  const Fixture fixture("[UNK]\na,b\n!", test::kCased, {}, {.split_spaces = true});
  EXPECT_EQ(fixture.words("a,b\u3000!"), "a,b !");
}

TEST(SequenceTokenizer, RefusesInvalidUtf8WithThePositionOfTheFirstBadByte) {
  const Fixture fixture("[UNK]\na", test::kUncased, {{.content = "[E]"}});
  const auto error = [&](std::string_view text) {
    return test::error_of(ErrorCode::kInvalidText, [&] { fixture.tokens(text); });
  };
  EXPECT_EQ(error("ab \xFFz"), "text: not valid UTF-8 at byte 3: found 0xFF");
  EXPECT_EQ(error("ab\xC3"), "text: not valid UTF-8 at byte 2: found 0xC3");
  EXPECT_EQ(error("\xED\xA0\x80"), "text: not valid UTF-8 at byte 0: found 0xED");
  EXPECT_EQ(error("\xC0\x80"), "text: not valid UTF-8 at byte 0: found 0xC0");
  EXPECT_EQ(error("[E]\xE2\x82[E]"), "text: not valid UTF-8 at byte 3: found 0xE2");
  EXPECT_EQ(error(std::string(300, 'a') + "\x80"), "text: not valid UTF-8 at byte 300: found 0x80");
}

// Each text has 2 MB, and takes quadratic time if a step looks back or starts again.
TEST(SequenceTokenizer, IsLinearOnTextsWithoutSpaces) {
  const Fixture fixture("[UNK]\na\n##a", test::kUncased, {{.content = "[[[[[E", .lstrip = true}});
  for (const std::string unit :
       {"a", "\u0436", "\u4E2D", "\u0301", "a\u0301", "x\u200B", "[", "[[[[[", "\u0F73\u0334", "!"}) {
    std::string text;
    while (text.size() < 2000000) text += unit;
    const auto start = std::chrono::steady_clock::now();
    fixture.tokens(text);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_LT(seconds.count(), 20) << unit << ": a quadratic pass needs hours, a linear one under a second";
  }
}

// Makes random texts of letters, marks that move, scripts, spaces, controls and added tokens.
class RandomText {
 public:
  explicit RandomText(uint32_t seed) : random_(seed) {}

  std::string make() {
    std::string text;
    for (size_t n = random_() % 30; n > 0; --n) append_unit(text);
    return text;
  }

 private:
  void append_unit(std::string& text) {
    static const std::vector<std::string> words = {"the",          "The",    "unaffable",    "caf\u00E9",    "[CLS]",
                                                   "[MASK]",       "[mask]", "[CL",          "Foo Bar",      "foo",
                                                   "F\u00D3O bar", "zz",     "zz zz",        "  ",           "\u00A0",
                                                   "\r\n",         "##ing",  "\u0130\u0307", "\u1112\u1161", "\uFEFF"};
    static const std::vector<std::pair<char32_t, char32_t>> ranges = {
        {0x00, 0x7F},       {0x20, 0x7E},       {0x61, 0x7A},       {0x80, 0x24F},      {0x300, 0x36F},
        {0x370, 0x52F},     {0x590, 0x6FF},     {0x900, 0xDFF},     {0xE00, 0xFFF},     {0x1DC0, 0x1DFF},
        {0x1E00, 0x1FFF},   {0x2000, 0x206F},   {0x20D0, 0x20F0},   {0x302A, 0x302F},   {0x3040, 0x30FF},
        {0x4E00, 0x4E40},   {0xAC00, 0xAD00},   {0xF900, 0xFAFF},   {0xFB00, 0xFB4F},   {0xFE00, 0xFE2F},
        {0xFF00, 0xFFEF},   {0x10A00, 0x10A40}, {0x1D157, 0x1D1AD}, {0x1E900, 0x1E95F}, {0x1F600, 0x1F64F},
        {0x2B800, 0x2B940}, {0x2F800, 0x2FA1F}, {0xE0000, 0xE01EF}, {0x0, 0x10FFFF}};
    if (random_() % 4 == 0) {
      text += words[random_() % words.size()];
      return;
    }
    const auto [first, last] = ranges[random_() % ranges.size()];
    for (size_t n = 1 + random_() % 4; n > 0; --n) {
      const char32_t c = first + random_() % (last - first + 1);
      if (c < 0xD800 || c > 0xDFFF) append_utf8(text, c);
    }
    if (random_() % 40 == 0) text += std::string(90 + random_() % 50, 'a');
  }

  std::mt19937 random_;
};

void compare_with_the_oracle(const std::filesystem::path& vocabulary_path, const BertNormalizer& normalizer,
                             const std::vector<AddedToken>& tokens, uint32_t seed) {
  const Fixture fixture(test::read_file(vocabulary_path), normalizer, tokens);
  test::PlainTokenizer oracle;
  for (size_t id = 0; id < fixture.vocabulary.id_end(); ++id) {
    oracle.vocabulary[std::string(fixture.vocabulary.tokens()[id])] = static_cast<int32_t>(id);
  }
  oracle.unknown_id = oracle.vocabulary.at("[UNK]");
  oracle.normalizer = normalizer;
  for (const AddedToken& token : tokens) {
    oracle.added_tokens[token.content] = token;
    oracle.added_ids[token.content] = fixture.added.id(token.content).value();
  }
  RandomText texts(seed);
  const test::Share share(4);
  for (size_t i = 0; i < 8000; ++i) {
    const std::string text = texts.make();
    if (!share.has(i)) continue;
    const bool split_special = i % 5 == 0;
    ASSERT_EQ(fixture.tokens(text, split_special), oracle.tokenize(text, split_special))
        << "seed " << seed << ", text " << i << ": " << text;
  }
}

const std::vector<AddedToken> kBertTokens = {{.content = "[CLS]", .special = true},
                                             {.content = "[SEP]", .special = true},
                                             {.content = "[MASK]", .special = true}};
const std::vector<AddedToken> kManyTokens = {
    {.content = "[CLS]", .special = true},
    {.content = "[MASK]", .lstrip = true, .special = true},
    {.content = "zz", .single_word = true, .rstrip = true},
    {.content = "Foo Bar", .lstrip = true, .normalized = true},
    {.content = "foo", .single_word = true, .rstrip = true, .normalized = true},
    {.content = "\u1112\u1161", .normalized = true},
    {.content = "e\u0301", .normalized = false}};

TEST(SequenceTokenizer, EqualsThePlainTokenizerOnRandomTextsUncased) {
  BERT_TEST_DATA_OR_SKIP(path, "vocab/bert-base-uncased-vocab.txt");
  compare_with_the_oracle(path, test::kUncased, kBertTokens, 1);
  compare_with_the_oracle(path, test::kUncased, kManyTokens, 2);
}

TEST(SequenceTokenizer, EqualsThePlainTokenizerOnRandomTextsCased) {
  BERT_TEST_DATA_OR_SKIP(path, "vocab/bert-base-multilingual-cased-vocab.txt");
  compare_with_the_oracle(path, test::kCased, kBertTokens, 3);
  compare_with_the_oracle(path, test::kCased, kManyTokens, 4);
}

TEST(SequenceTokenizer, EqualsThePlainTokenizerOnOtherNormalizers) {
  BERT_TEST_DATA_OR_SKIP(path, "vocab/bert-base-uncased-vocab.txt");
  compare_with_the_oracle(path, bert_normalizer(true, true, false, true), kBertTokens, 5);
  compare_with_the_oracle(path, bert_normalizer(false, false, true, false), kManyTokens, 6);
  compare_with_the_oracle(path, {.decompose = true, .strip_marks = true, .lowercase = true}, kBertTokens, 7);
}

}  // namespace
}  // namespace bert
