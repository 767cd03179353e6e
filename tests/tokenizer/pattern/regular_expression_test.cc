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

// The expected matches are calculated by hand from the expressions.
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

// The reference fails too: Oniguruma's limit is 10,000,000 retries.
TEST(RegularExpression, ReportsASearchThatIsGivenUp) {
  const RegularExpression expression("(a+)+$", "f: x");
  std::vector<TextRange> matches;
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidText,
                           [&] { expression.find("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", matches); }),
            "text: the search for the regular expression '(a+)+$' from byte 0 of 41 ends with 'retry-limit-in-match "
            "over'");
}

// A search from each of 262,144 positions to the text's end would take 3e10 steps.
TEST(RegularExpression, GivesUpASearchThatNeedsTooManySteps) {
  const std::string text = std::string(262'142, 'a') + "@y";
  std::vector<TextRange> matches;
  for (const char* expression : {R"([\w.+-]+@[\w-]+\.[\w.-]+)", "(?:ab|a)*[@#][^y]", "(?m).*?[ab]*[@#][^y]"}) {
    EXPECT_EQ(
        test::error_of(ErrorCode::kInvalidText, [&] { RegularExpression(expression, "f: x").find(text, matches); }),
        "text: the search for the regular expression '" + std::string(expression) +
            "' from byte 0 of 262144 needs more than the 152428800 steps of a text");
  }
}

TEST(RegularExpression, EndsWhenItsCallerDoes) {
  const std::string text = std::string(262'144, 'a') + "@";
  std::vector<TextRange> matches;
  size_t questions = 0;
  const auto goes_on = [&] { return ++questions < 3; };
  test::error_of(ErrorCode::kCancelled, [&] { RegularExpression(R"(\w+@\w+)", "f: x").find(text, matches, goes_on); });
  EXPECT_EQ(questions, 3u);
  // The caller is also asked after every 1,024 matches.
  questions = 0;
  test::error_of(ErrorCode::kCancelled, [&] { RegularExpression("a", "f: x").find(text, matches, goes_on); });
  EXPECT_EQ(matches.size(), 3u * 1024);
}

// Each of 1,000 runs has 100 positions, and the search retries up to 100 times at each.
TEST(RegularExpression, FindsWhatNeedsManyRetries) {
  std::string text;
  for (int i = 0; i < 1'000; ++i) text += std::string(100, 'a') + "-";
  EXPECT_EQ(matches_of("(?:ab?)+c", text + "aac"), (Matches{"101000-101003"}));
}

}  // namespace
}  // namespace bert
