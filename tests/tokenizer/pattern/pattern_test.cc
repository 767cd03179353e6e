#include "tokenizer/pattern/pattern.h"

#include <gtest/gtest.h>

#include <array>

#include "engine/base/utf8.h"
#include "tests/support/random.h"

namespace bert {
namespace {

std::vector<TextRange> found(const Pattern& pattern, std::string_view text) {
  std::vector<TextRange> matches;
  pattern.find(text, matches);
  return matches;
}
using Found = std::vector<TextRange>;
Pattern regular_expression(std::string_view expression) { return Pattern::regular_expression(expression, "f: x"); }

// The expected values are calculated by hand.
TEST(Pattern, FindsTexts) {
  EXPECT_EQ(found(Pattern::text("ab"), "abcabab"), (Found{{0, 2}, {3, 5}, {5, 7}}));
  EXPECT_EQ(found(Pattern::text("a+"), "aa+"), (Found{{1, 3}}));
  EXPECT_EQ(found(Pattern::text(""), "\u00E9b"), (Found{{0, 0}, {2, 2}, {3, 3}}));
}

TEST(Pattern, FindsRuns) {
  EXPECT_EQ(found(Pattern::runs(" ", 2), " a   b"), (Found{{2, 5}}));
  EXPECT_EQ(found(Pattern::runs("\u2581", 1), "\u2581\u2581a\u2581"), (Found{{0, 6}, {7, 10}}));
}

TEST(Pattern, ReadsSimpleExpressionsAsTextsAndRuns) {
  EXPECT_EQ(regular_expression("ab"), Pattern::text("ab"));
  EXPECT_EQ(regular_expression(" {2,}"), Pattern::runs(" ", 2));
  EXPECT_EQ(regular_expression("\u2581+"), Pattern::runs("\u2581", 1));
  for (const char* expression : {"a|b", "ab+", "a{2}", "a{0,}", "[ab]+", "a+?", ""}) {
    EXPECT_FALSE(regular_expression(expression) == Pattern::text(expression)) << expression;
    EXPECT_FALSE(regular_expression(expression) == Pattern::runs("a", 1)) << expression;
    EXPECT_EQ(regular_expression(expression), regular_expression(expression)) << expression;
  }
}

// Compares the scanner of every known expression with Oniguruma's matches.
TEST(Pattern, ScansKnownExpressionsAsOnigurumaDoes) {
  const std::vector<std::string> parts = {"a",  "I",      "'",      "s",  "'LL",    "re",     "\u017F",
                                          "1",  "22",     "\u00B2", " ",  "  ",     "\t",     "\n",
                                          "\r", "\u00A0", "!",      "?!", "\u4E2D", "\u0301", "\U0001E030"};
  for (const KnownExpression& known : kKnownExpressions) {
    const RegularExpression oniguruma(known.expression, "f: x");
    uint32_t state = 1;
    for (int i = 0; i < 3000; ++i) {
      std::string text;
      for (int part = 0; part < 8; ++part) {
        state = state * 1664525 + 1013904223;
        text += parts[(state >> 16) % parts.size()];
      }
      Found expected;
      oniguruma.find(text, expected);
      ASSERT_EQ(found(regular_expression(known.expression), text), expected) << known.expression << " in " << text;
    }
  }
}

TEST(Pattern, CutsCharactersOfAllKindsAsOnigurumaDoes) {
  constexpr std::array<char32_t, 12> kCommon = {U'a', U'Z', U'7',  U' ',  U' ',   U'\'',
                                                U's', U'.', U'\n', U'\r', 0x4E2D, 0xE9};
  test::Random random(11);
  for (const KnownExpression& known : kKnownExpressions) {
    const RegularExpression oniguruma(known.expression, "f: x");
    for (int i = 0; i < 4000; ++i) {
      std::string text;
      for (size_t count = 1 + random.below(40); count > 0; --count) {
        char32_t c = kCommon[random.below(kCommon.size())];
        if (random.below(3) == 0) c = static_cast<char32_t>(random.below(random.below(2) == 0 ? 0x3400 : 0x110000));
        if (c < 0xD800 || c > 0xDFFF) append_utf8(text, c);
      }
      Found expected;
      oniguruma.find(text, expected);
      ASSERT_EQ(found(regular_expression(known.expression), text), expected) << known.expression << " in " << text;
    }
  }
}

}  // namespace
}  // namespace bert
