#include "engine/base/quote.h"

#include <gtest/gtest.h>

namespace bert {
namespace {

TEST(Quote, PutsTextInSingleQuotes) { EXPECT_EQ(quote("caf\xC3\xA9"), "'caf\xC3\xA9'"); }

TEST(OneLine, EscapesControlCharactersLineSeparatorsAndBrokenUtf8) {
  EXPECT_EQ(one_line("a\nb\t\x1B[31m\x7F"), "a\\x0ab\\x09\\x1b[31m\\x7f");
  EXPECT_EQ(one_line("\xC2\x85"), "\\xc2\\x85");           // U+0085, next line
  EXPECT_EQ(one_line("\xE2\x80\xA8"), "\\xe2\\x80\\xa8");  // U+2028, line separator
  EXPECT_EQ(one_line("\xE2\x80\xAE"), "\\xe2\\x80\\xae");  // U+202E, right-to-left override
  EXPECT_EQ(one_line("\xE2\x80\x8D"), "\xE2\x80\x8D");     // U+200D joins emoji and stays
  EXPECT_EQ(one_line("\xC3(\xFF"), "\\xc3(\\xff");
  EXPECT_EQ(one_line(std::string_view("\0", 1)), "\\x00");
}

TEST(Excerpt, CutsAtACharactersBorderAndSaysSo) {
  EXPECT_EQ(excerpt("abc", 3), "abc");
  EXPECT_EQ(excerpt("abcd", 3), "abc\xE2\x80\xA6");
  EXPECT_EQ(excerpt("ab\xC3\xA9z", 3), "ab\xE2\x80\xA6");  // the third byte is half of é
}

}  // namespace
}  // namespace bert
