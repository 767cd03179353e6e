#include "tokenizer/pattern/regular_expression.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

std::vector<std::string> matches_of(const char* expression, std::string_view text) {
  std::vector<TextRange> matches;
  RegularExpression(expression, "f: x").find(text, matches);
  std::vector<std::string> result;
  for (const TextRange& match : matches) {
    result.push_back(std::to_string(match.begin) + "-" + std::to_string(match.end));
  }
  return result;
}
using Matches = std::vector<std::string>;

// By hand from the expressions.
TEST(RegularExpression, FindsMatchesFromLeftToRight) {
  EXPECT_EQ(matches_of("(?<!a)b+", "abbxbb"), (Matches{"2-3", "4-6"}));
  EXPECT_EQ(matches_of("\\p{L}", "1\u00E9\u4E2D"), (Matches{"1-3", "3-6"}));
  EXPECT_EQ(matches_of("q", "abc"), Matches());
}

// The reference accepts an empty match, but not where another match ended.
TEST(RegularExpression, FindsEmptyMatches) {
  EXPECT_EQ(matches_of("x*", "axx\u00E9"), (Matches{"0-0", "1-3", "5-5"}));
  EXPECT_EQ(matches_of("$", ""), (Matches{"0-0"}));
}

TEST(RegularExpression, RefusesWhatIsMalformedWithItsPlace) {
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidFile, [] { RegularExpression("(a", "'f': x.pattern"); }),
            "'f': x.pattern: regular expression '(a': end pattern with unmatched parenthesis");
}

// The reference fails too: 10,000,000 attempts are Oniguruma's limit.
TEST(RegularExpression, ReportsASearchThatIsGivenUp) {
  const RegularExpression expression("(a+)+$", "f: x");
  std::vector<TextRange> matches;
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidText,
                           [&] { expression.find("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", matches); }),
            "text: the search for the regular expression '(a+)+$' from byte 0 of 41 ends with 'retry-limit-in-match "
            "over'");
}

}  // namespace
}  // namespace bert
