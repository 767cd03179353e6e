#include "tokenizer/normalizer/normalizer.h"

#include <gtest/gtest.h>

#include "tests/support/alignment.h"

namespace bert {
namespace {

template <typename Step>
std::string applied(const Step& step, std::string_view text) {
  NormalizedText result = original_text(text, 0);
  apply(step, result);
  return test::alignment(result);
}

// The expected characters and byte offsets are those of tokenizers 0.22.2.
TEST(Normalizer, ReplacesWithTheSourceOfTheMatchsLastByte) {
  EXPECT_EQ(applied(Replacement{Pattern::text("ab"), "xyz"}, "1ab2ab"), "10-1 x2-3 y2-3 z2-3 23-4 x5-6 y5-6 z5-6");
  EXPECT_EQ(applied(Replacement{Pattern::runs(" ", 2), "_"}, "a b   c"), "a0-1  1-2 b2-3 _5-6 c6-7");
}

// The expected characters and byte offsets are those of tokenizers 0.23.3.
TEST(Normalizer, ReplacesMatchesOfARegularExpression) {
  const auto replacement = [](const char* expression, const char* content) {
    return Replacement{Pattern::regular_expression(expression, "f: x"), content};
  };
  EXPECT_EQ(applied(replacement("x*", "-"), "axx"), "-0-0 a0-1 -2-3");
  EXPECT_EQ(applied(replacement("[ab]|\\d", ""), "a1xb"), "x2-3");
  EXPECT_EQ(applied(replacement("^", "\u00E9-"), "a"), "\u00E90-0 -0-0 a0-1");
  EXPECT_EQ(applied(replacement("^", "-"), ""), "");
}

// The expected characters and byte offsets are those of tokenizers 0.23.3.
TEST(Normalizer, PutsInBeforeTheFirstCharacterWhereTheTextBegan) {
  Normalizer normalizer;
  normalizer.add(BertNormalizer{.clean_text = true});
  normalizer.add(Replacement{Pattern::regular_expression("x*", "f: x"), "-"});
  NormalizedText text = original_text("\u200Dab", 2);
  normalizer.apply(text);
  EXPECT_EQ(test::alignment(text), "-2-2 a5-6 -5-6 b6-7 -6-7");
}

TEST(Normalizer, StripsEndsAndPrepends) {
  EXPECT_EQ(applied(StrippedEnds(), "  a b "), "a2-3  3-4 b4-5");
  EXPECT_EQ(applied(StrippedEnds{false, true}, " a "), " 0-1 a1-2");
  EXPECT_EQ(applied(StrippedEnds{true, false}, " a "), "a1-2  2-3");
  EXPECT_EQ(applied(StrippedEnds{true, false}, "  "), "");
  EXPECT_EQ(applied(Prepended{"xy"}, "ab"), "x0-1 y0-1 a0-1 b1-2");
}

TEST(Normalizer, MapsBytesToCharacters) {
  EXPECT_EQ(applied(ByteMapped(), "\u00E9 "), "\u00C30-2 \u00A90-2 \u01202-3");
}

// The expected characters and byte offsets are those of tokenizers 0.23.3.
TEST(Normalizer, DeletesControlsAndMakesSpacesAsNmt) {
  EXPECT_EQ(applied(CleanedControls(), "a\x01\tb\u200B\u2581\u009F\u00A0c"),
            "a0-1  2-3 b3-4  4-7  7-10 \u00A012-14 c14-15");
  EXPECT_EQ(applied(CleanedControls(), "\u200F\u2010\uFFFD\u0085"), " 0-3 \u20103-6  6-9 \u00859-11");
}

TEST(Normalizer, IsOnePassWhereTheStepsComeInItsOrder) {
  Normalizer normalizer;
  EXPECT_NE(normalizer.single(), nullptr);
  normalizer.add(BertNormalizer{.decompose = true});
  normalizer.add(BertNormalizer{.lowercase = true});
  normalizer.add(BertNormalizer{.strip_marks = true});
  ASSERT_NE(normalizer.single(), nullptr);
  EXPECT_TRUE(normalizer.single()->strip_marks && normalizer.lowercases() && normalizer.strips_accents());
  normalizer.add(BertNormalizer{.decompose = true});
  EXPECT_EQ(normalizer.single(), nullptr);
}

// The expected characters are those of tokenizers 0.23.3.
TEST(Normalizer, SeparatesIdeographsInEachOfTwoPasses) {
  Normalizer normalizer;
  normalizer.add(BertNormalizer{.split_cjk = true});
  normalizer.add(BertNormalizer{.split_cjk = true});
  NormalizedText text = original_text("a\u4E2D", 0);
  normalizer.apply(text);
  EXPECT_EQ(text.bytes, "a  \u4E2D  ");
}

// Lower case gives U+0130 a dot, which StripAccents removes if it comes later.
TEST(Normalizer, StripsTheDotOfALowerCaseLetter) {
  const BertNormalizer lowercase = {.lowercase = true}, strip = {.strip_marks = true}, decompose = {.decompose = true};
  const auto applied_in_order = [](const BertNormalizer& first, const BertNormalizer& second) {
    Normalizer normalizer;
    normalizer.add(first);
    normalizer.add(second);
    NormalizedText text = original_text("\u0130", 0);
    normalizer.apply(text);
    return text.bytes;
  };
  EXPECT_EQ(applied_in_order(lowercase, strip), "i");
  EXPECT_EQ(applied_in_order(strip, lowercase), "i\u0307");
  EXPECT_EQ(applied_in_order(decompose, strip), "I");
}

TEST(Normalizer, TakesItsStepsInTheirOrder) {
  Normalizer normalizer;
  normalizer.add(Replacement{Pattern::text("B"), "c"});
  normalizer.add(BertNormalizer{.lowercase = true});
  normalizer.add(Replacement{Pattern::text("b"), "x"});
  NormalizedText text = original_text("ABb", 7);
  normalizer.apply(text);
  EXPECT_EQ(test::alignment(text), "a7-8 c8-9 x9-10");
}

}  // namespace
}  // namespace bert
