#include "tokenizer/pre_tokenizer/words.h"

#include <gtest/gtest.h>
#include <chrono>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const Offset& word : split_words(text)) words.emplace_back(text.substr(word.begin, word.end - word.begin));
  return words;
}

using Words = std::vector<std::string>;

// The expected words are those of Python's re.findall(r"\w+(?:[-_]\w+)*|\S", text).
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

using TextWords = std::vector<std::string>;

TextWords text_words_of(std::string_view text) {
  TextWords words;
  for (const Offset& word : split_text_words(text)) words.emplace_back(text.substr(word.begin, word.end - word.begin));
  return words;
}

// The expected values are those of gliner2's WhitespaceTokenSplitter.
TEST(SplitTextWords, KeepAddressesWhole) {
  EXPECT_EQ(
      text_words_of("See https://a.b/c?d=(e). HTTP://X www.y.z WWW. http:// now"),
      (TextWords{"See", "https://a.b/c?d=(e).", "HTTP://X", "www.y.z", "WWW", ".", "http", ":", "/", "/", "now"}));
  EXPECT_EQ(text_words_of("to ada.l+x@ex-ample.co.uk, a@b a@b.c x@y.com.1"),
            (TextWords{"to", "ada.l+x@ex-ample.co.uk", ",", "a", "@b", "a", "@b", ".", "c", "x@y.com", ".", "1"}));
  EXPECT_EQ(text_words_of("@ada_1: @ @é"), (TextWords{"@ada_1", ":", "@", "@", "é"}));
  EXPECT_EQ(text_words_of("é.x@y.com"), (TextWords{"é", ".x@y.com"}));
}

TEST(SplitTextWords, JoinLettersNumbersMarksAndSingleHyphens) {
  EXPECT_EQ(text_words_of("Jean-Luc_2 isn't a--b c-"),
            (TextWords{"Jean-Luc_2", "isn", "'", "t", "a", "-", "-", "b", "c", "-"}));
  EXPECT_EQ(text_words_of("e\u0301t क्षि 东京 2,5"), (TextWords{"e\u0301t", "क्षि", "东京", "2", ",", "5"}));
  EXPECT_EQ(text_words_of("😀👍🏽 ❤\ufe0fx Ⓐ"), (TextWords{"😀", "👍", "🏽", "❤", "\ufe0fx", "Ⓐ"}));
  EXPECT_EQ(text_words_of(" \t\n\x1c\u3000\u00a0\u0085"), TextWords());
}

TEST(SplitTextWords, RefuseInvalidText) {
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidText, [] { split_text_words("ab\xff"); }),
            "text: not valid UTF-8 at byte 2");
}

// A search for an address from each character would take time quadratic in the text.
TEST(SplitTextWords, TakeATimeInProportionToTheText) {
  std::string text;
  for (size_t i = 0; i < 300'000; ++i) text += "a.";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(split_text_words(text).size(), 600'000u);
  EXPECT_EQ(split_text_words(text + "@" + text + "1").size(), 1'200'001u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST(LowerCaseText, IsPythons) {
  EXPECT_EQ(lower_case_text("ÄB İi ΟΔΟΣ ΣΑ Σ ΑΣ'. ΑΣ'Β ẞ"), "äb i\u0307i οδος σα σ ας'. ασ'β ß");
}

}  // namespace

}  // namespace bert
