#include "tokenizer/pre_tokenizer/text_words.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

using TextWords = std::vector<std::string>;

TextWords text_words_of(std::string_view text) {
  TextWords words;
  for (const Offset& word : split_text_words(text)) words.emplace_back(text.substr(word.begin, word.end - word.begin));
  return words;
}

// Expected values are those of gliner2's WhitespaceTokenSplitter.
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

// A search of an address from each character would take the square of this.
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
