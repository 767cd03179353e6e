#include "tokenizer/text_normalizer.h"

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

// The reference's own characters and offsets (version 0.22.2).
TEST(TextNormalizer, ReplacesWithTheSourceOfTheMatchsLastByte) {
  EXPECT_EQ(applied(Replacement{"ab", "xyz"}, "1ab2ab"), "10-1 x2-3 y2-3 z2-3 23-4 x5-6 y5-6 z5-6");
  EXPECT_EQ(applied(Replacement{" ", "_", 2}, "a b   c"), "a0-1  1-2 b2-3 _5-6 c6-7");
}

TEST(TextNormalizer, StripsEndsAndPrepends) {
  EXPECT_EQ(applied(StrippedEnds(), "  a b "), "a2-3  3-4 b4-5");
  EXPECT_EQ(applied(StrippedEnds{false, true}, " a "), " 0-1 a1-2");
  EXPECT_EQ(applied(StrippedEnds{true, false}, " a "), "a1-2  2-3");
  EXPECT_EQ(applied(StrippedEnds{true, false}, "  "), "");
  EXPECT_EQ(applied(Prepended{"xy"}, "ab"), "x0-1 y0-1 a0-1 b1-2");
}

TEST(TextNormalizer, MapsBytesToCharacters) {
  EXPECT_EQ(applied(ByteMapped(), "\u00E9 "), "\u00C30-2 \u00A90-2 \u01202-3");
}

TEST(TextNormalizer, IsOnePassWhereTheStepsComeInItsOrder) {
  TextNormalizer normalizer;
  EXPECT_NE(normalizer.single(), nullptr);
  normalizer.add(Normalizer{.decompose = true});
  normalizer.add(Normalizer{.lowercase = true});
  normalizer.add(Normalizer{.strip_marks = true});
  ASSERT_NE(normalizer.single(), nullptr);
  EXPECT_TRUE(normalizer.single()->strip_marks && normalizer.lowercases() && normalizer.strips_accents());
  normalizer.add(Normalizer{.decompose = true});
  EXPECT_EQ(normalizer.single(), nullptr);
}

TEST(TextNormalizer, TakesItsStepsInTheirOrder) {
  TextNormalizer normalizer;
  normalizer.add(Replacement{"B", "c"});
  normalizer.add(Normalizer{.lowercase = true});
  normalizer.add(Replacement{"b", "x"});
  NormalizedText text = original_text("ABb", 7);
  normalizer.apply(text);
  EXPECT_EQ(test::alignment(text), "a7-8 c8-9 x9-10");
}

}  // namespace
}  // namespace bert
