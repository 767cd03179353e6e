#include "tokenizer/byte_level.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace bert {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::vector<TextRange> ranges;
  append_byte_level_words(text, {0, text.size()}, ranges);
  std::vector<std::string> result;
  for (const TextRange& range : ranges) result.push_back(text.substr(range.begin, range.end - range.begin));
  return result;
}
using Words = std::vector<std::string>;

TEST(ByteLevel, HasOneCharacterForEachByteAndBack) {
  std::set<char32_t> seen;
  for (int byte = 0; byte < 256; ++byte) {
    const char32_t c = char_of_byte(static_cast<char>(byte));
    EXPECT_TRUE(seen.insert(c).second);
    EXPECT_EQ(byte_of_char(c), static_cast<char>(byte));
  }
  EXPECT_EQ(char_of_byte(' '), U'\u0120');
  EXPECT_EQ(char_of_byte('\n'), U'\u010A');
  EXPECT_EQ(char_of_byte('A'), U'A');
  EXPECT_EQ(byte_of_char(U' '), std::nullopt);
  EXPECT_EQ(byte_of_char(U'\u6F22'), std::nullopt);
}

// The reference's own words (version 0.22.2).
TEST(ByteLevel, CutsWordsAsThePatternDoes) {
  EXPECT_EQ(words("I'll  say\n\n 'hello' x12 \u00E9"),
            (Words{"I", "'ll", " ", " say", "\n\n", " '", "hello", "'", " x", "12", " \u00E9"}));
  EXPECT_EQ(words("a  "), (Words{"a", "  "}));
}

// By hand from the pattern.
TEST(ByteLevel, LeavesTheLastWhiteSpaceToTheWordAfterIt) {
  EXPECT_EQ(words("\n\nx"), (Words{"\n", "\n", "x"}));
  EXPECT_EQ(words("  \tx"), (Words{"  ", "\t", "x"}));
  EXPECT_EQ(words("\u3000 x"), (Words{"\u3000", " x"}));
  EXPECT_EQ(words("'sit's're''"), (Words{"'s", "it", "'s", "'re", "''"}));
  EXPECT_EQ(words("x\u00B2\u0301!\u4E2D"), (Words{"x", "\u00B2", "\u0301!", "\u4E2D"}));
}

TEST(ByteLevel, TrimsSpansByTheSpacesOfTheToken) {
  EXPECT_EQ(trim_span("\u0120a", " a", {0, 2}, false), (Offset{1, 2}));
  EXPECT_EQ(trim_span("\u0120a", " a", {0, 2}, true), (Offset{0, 2}));
  EXPECT_EQ(trim_span("\u0120\u0120", "x  ", {1, 3}, false), (Offset{3, 3}));
  EXPECT_EQ(trim_span("\u0120\u0120", "  ", {0, 2}, true), (Offset{2, 2}));  // of two, none was added
  EXPECT_EQ(trim_span("\u3000a\u00A0", "\u3000a\u00A0", {0, 6}, false), (Offset{3, 4}));
}

}  // namespace
}  // namespace bert
