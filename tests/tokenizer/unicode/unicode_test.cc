#include "tokenizer/unicode/unicode.h"

#include <gtest/gtest.h>

#include <string>

namespace bert::unicode {
namespace {

std::u32string decomposed(char32_t c) {
  char32_t parts[kMaxDecomposition];
  return {parts, decompose(c, parts)};
}

// The expected values are those of the Unicode Character Database in the version that each test names.
TEST(Unicode, KnowsPunctuationOfVersion8) {
  EXPECT_TRUE(properties('$') & kPunctuation);
  EXPECT_TRUE(properties(U'\u2014') & kPunctuation);
  EXPECT_TRUE(properties(U'\u166D') & kPunctuation) << "a symbol since 12.0";
  EXPECT_FALSE(properties(U'\u2E52') & kPunctuation) << "assigned in 13.0";
  EXPECT_FALSE(properties(U'\u20B9') & kPunctuation) << "a currency sign";
}

TEST(Unicode, RemovesControlsFormatsAndPrivateUseButNotWhatIsUnassigned) {
  for (const char32_t c : {U'\0', U'\x0B', U'\x1C', U'\x85', U'\xAD', U'\u200B', U'\uFEFF', U'\uE000', U'\uFFFD'}) {
    EXPECT_TRUE(properties(c) & kRemoved) << static_cast<uint32_t>(c);
  }
  for (const char32_t c : {U'\t', U'\n', U'\r', U' ', U'\u0378', U'\u08E2'}) {
    EXPECT_FALSE(properties(c) & kRemoved) << static_cast<uint32_t>(c);
  }
}

TEST(Unicode, KnowsTheScriptsOfVersion9) {
  EXPECT_EQ(script('a'), script(U'\u00E9'));
  EXPECT_NE(script('a'), script(U'\u0430')) << "Cyrillic";
  EXPECT_EQ(script('1'), script(',')) << "both are common";
  EXPECT_NE(script('1'), script(U'\u0301')) << "inherited is a script";
  EXPECT_NE(script('a'), script(U'\u0301'));
  for (const char32_t c : {U'\u3042', U'\u30A2', U'\u30FC', U'\U0001B000'}) EXPECT_EQ(script(c), script(U'\u6F22'));
  EXPECT_EQ(script(U'\u0589'), script(',')) << "Armenian since 11.0";
  EXPECT_EQ(script(' '), 0);
  EXPECT_EQ(script(U'\u0378'), 0) << "unassigned";
  EXPECT_EQ(script(U'\U00010D00'), 0) << "assigned in 11.0";
  EXPECT_EQ(script(U'\U0010FFFF'), 0);
}

TEST(Unicode, HasTheReferencesGapInTheIdeographs) {
  EXPECT_TRUE(properties(U'\U0002B81F') & kCjk);
  EXPECT_FALSE(properties(U'\U0002B820') & kCjk);
  EXPECT_FALSE(properties(U'\U0002B91F') & kCjk);
  EXPECT_TRUE(properties(U'\U0002B920') & kCjk);
  EXPECT_FALSE(properties(U'\u3005') & kCjk);
}

TEST(Unicode, LowersEachCharacterAlone) {
  EXPECT_EQ(lower_case('Z'), U'z');
  EXPECT_EQ(lower_case('['), U'[');
  EXPECT_EQ(lower_case(U'\u03A3'), U'\u03C3') << "no final sigma";
  EXPECT_EQ(lower_case(U'\u1E9E'), U'\u00DF');
  EXPECT_EQ(lower_case(U'\u0100'), U'\u0101');
  EXPECT_EQ(lower_case(U'\u0101'), U'\u0101');
  EXPECT_EQ(lower_case(U'\U0001E900'), U'\U0001E922');
  EXPECT_EQ(lower_case(U'\u1C89'), U'\u1C8A') << "added in 16.0";
  EXPECT_EQ(lower_case(kDottedCapitalI), U'i');
}

TEST(Unicode, DecomposesFullyAndHangulByArithmetic) {
  EXPECT_EQ(decomposed(U'\u00E9'), U"e\u0301");
  EXPECT_EQ(decomposed(U'\u1EA4'), U"A\u0302\u0301");
  EXPECT_EQ(decomposed(U'\uD55C'), U"\u1112\u1161\u11AB");
  EXPECT_EQ(decomposed(U'\uAC00'), U"\u1100\u1161");
  EXPECT_EQ(decomposed(U'\u212B'), U"A\u030A");
  EXPECT_EQ(decomposed(U'\U00011938'), U"\U00011938") << "added in 13.0";
  EXPECT_EQ(decomposed('x'), U"x");
}

TEST(Unicode, KnowsCombiningClassesOfVersion9) {
  EXPECT_EQ(combining_class(U'\u0301'), 230);
  EXPECT_EQ(combining_class(U'\u0334'), 1);
  EXPECT_EQ(combining_class(U'\u0345'), 240);
  EXPECT_EQ(combining_class('a'), 0);
  EXPECT_EQ(combining_class(U'\u1DF6'), 0) << "assigned in 10.0";
}

TEST(Unicode, KnowsMarksAndWordCharacters) {
  EXPECT_TRUE(is_mark(U'\u0301'));
  EXPECT_TRUE(is_mark(U'\u20DD'));
  EXPECT_FALSE(is_mark('a'));
  for (const char32_t c : {U'a', U'_', U'7', U'\u00E9', U'\u4E2D', U'\u0301', U'\u200D'}) {
    EXPECT_TRUE(is_word_character(c)) << static_cast<uint32_t>(c);
  }
  for (const char32_t c : {U' ', U'-', U'\u00B2', U'\u2014', U'\U0001F600'}) {
    EXPECT_FALSE(is_word_character(c)) << static_cast<uint32_t>(c);
  }
}

TEST(Unicode, ComposesWhatItDecomposes) {
  EXPECT_EQ(unicode::compose('e', 0x301), U'\u00E9');
  EXPECT_EQ(unicode::compose(0x1112, 0x1161), U'\uD558');
  EXPECT_EQ(unicode::compose(0xD558, 0x11AB), U'\uD55C');
  EXPECT_EQ(unicode::compose(0xD55C, 0x11AB), 0u);
  EXPECT_EQ(unicode::compose(0x915, 0x93C), 0u);  // excluded: U+0958
  EXPECT_EQ(unicode::compose('x', 'y'), 0u);
}

TEST(Unicode, KnowsCompatibilityDecompositions) {
  char32_t parts[unicode::kMaxCompatibility];
  EXPECT_EQ(unicode::decompose_compatibility(0xFDFA, parts), 18u);
  EXPECT_EQ(unicode::decompose_compatibility(0xFB01, parts), 2u);
  EXPECT_EQ(unicode::decompose_compatibility(0x1E9B, parts), 2u);
  EXPECT_EQ(parts[0], U's');
  EXPECT_EQ(unicode::decompose_compatibility(0x32FF, parts), 1u);  // added after Unicode 9.0
}

// The expected counts are those of the reference's expressions over every scalar value.
TEST(Unicode, KnowsLettersAndNumbersOfUnicode16) {
  size_t letters = 0, numbers = 0, spaces = 0;
  for (char32_t c = 0; c < 0x110000; ++c) {
    letters += unicode::is_letter(c);
    numbers += unicode::is_number(c);
    spaces += unicode::is_space(c);
  }
  EXPECT_EQ(letters, 141028u);
  EXPECT_EQ(numbers, 1911u);
  EXPECT_EQ(spaces, 25u);
}

TEST(Unicode, KnowsWhatJoinsClusters) {
  EXPECT_EQ(unicode::cluster_class('a'), ClusterClass::kOther);
  EXPECT_EQ(unicode::cluster_class('\n'), ClusterClass::kControl);
  EXPECT_EQ(unicode::cluster_class(0x301), ClusterClass::kJoining);
  for (const char32_t c : {0x1ACF, 0x1AEB, 0x10EFA, 0x11B67, 0x1E6F5}) {
    EXPECT_EQ(unicode::cluster_class(c), ClusterClass::kJoining) << "new in Unicode 17";
  }
  // The expected number is that of the characters which join an 'a' before them in a Precompiled normalizer of
  // tokenizers 0.23.3.
  size_t joining = 0;
  for (char32_t c = 0; c < 0x110000; ++c) {
    const ClusterClass found = unicode::cluster_class(c);
    joining += found == ClusterClass::kJoining || found == ClusterClass::kJoiner ? 1 : 0;
  }
  EXPECT_EQ(joining, 2619u);
  EXPECT_EQ(unicode::cluster_class(0x200D), ClusterClass::kJoiner);
  EXPECT_EQ(unicode::cluster_class(0x600), ClusterClass::kPrepended);
  EXPECT_EQ(unicode::cluster_class(0xA9), ClusterClass::kPictographic);
  EXPECT_EQ(unicode::cluster_class(0x1100), ClusterClass::kLeading);
  EXPECT_EQ(unicode::cluster_class(0x1161), ClusterClass::kVowel);
  EXPECT_EQ(unicode::cluster_class(0x11A8), ClusterClass::kTrailing);
  EXPECT_EQ(unicode::cluster_class(0xAC00), ClusterClass::kSyllable);
  EXPECT_EQ(unicode::cluster_class(0xAC01), ClusterClass::kClosedSyllable);
}

}  // namespace
}  // namespace bert::unicode
