#include "tokenizer/added_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "tests/support/expect_error.h"
#include "tests/tokenizer/normalizer/normalizers.h"
#include "tokenizer/settings.h"

namespace bert {
namespace {

AddedTokens make(const std::vector<AddedToken>& tokens, std::string_view lines = "[UNK]\n[CLS]\na") {
  return AddedTokens(Vocabulary::from_lines(lines, "v"), test::kUncased, tokens, "tokenizer.json");
}

// Returns the matches in a raw text as [begin, end) pairs.
std::vector<std::pair<size_t, size_t>> found(const AddedTokens& tokens, std::string_view text,
                                             bool split_special = false) {
  std::vector<AddedTokenMatch> matches;
  tokens.find_raw(text, split_special, [&](const AddedTokenMatch& match) { matches.push_back(match); });
  std::vector<std::pair<size_t, size_t>> result;
  for (const AddedTokenMatch& match : matches) result.emplace_back(match.begin, match.end);
  return result;
}

using Spans = std::vector<std::pair<size_t, size_t>>;

TEST(AddedTokens, KeepAnIdOfTheVocabularyAndFollowItOtherwise) {
  const AddedTokens tokens = make({{.content = "[CLS]"}, {.content = "[X]"}, {.content = "[Y]"}});
  EXPECT_EQ(tokens.id("[CLS]"), 1);
  EXPECT_EQ(tokens.id("[X]"), 3);
  EXPECT_EQ(tokens.id("[Y]"), 4);
  EXPECT_EQ(tokens.id("a"), std::nullopt);
  EXPECT_EQ(tokens.id_end(), 5u);
  EXPECT_EQ(tokens.token(3)->content, "[X]");
  EXPECT_EQ(tokens.token(0), nullptr);
}

// The expected ids are those of tokenizers 0.23.3. The tokens of the first call are numbered from the size of the
// vocabulary, 4; those of a later call follow the largest id so far.
TEST(AddedTokens, CountFromTheVocabularysSizeWithinACall) {
  const Vocabulary gap = Vocabulary::from_pairs({{"a", 0}, {"b", 1}, {"[UNK]", 2}, {"p", 7}}, "v");
  const std::vector<AddedToken> tokens = {{.content = "p"}, {.content = "x"}, {.content = "y"}};
  const AddedTokens one_call(gap, test::kUncased, tokens, "v");
  EXPECT_EQ(one_call.id("p"), 7);
  EXPECT_EQ(one_call.id("x"), 4);
  EXPECT_EQ(one_call.id("y"), 5);
  const AddedTokens two_calls(gap, test::kUncased, tokens, "v", 1);
  EXPECT_EQ(two_calls.id("x"), 8);
  EXPECT_EQ(two_calls.id("y"), 9);
  const Vocabulary collision = Vocabulary::from_pairs({{"a", 0}, {"p", 2}}, "v");
  EXPECT_EQ(
      test::error_of(ErrorCode::kUnsupported, [&] { AddedTokens(collision, test::kUncased, tokens, "vocab.txt"); }),
      "'vocab.txt': added tokens 'p' and 'x' both get id 2, because the vocabulary has unassigned ids");
}

TEST(AddedTokens, IgnoreAnEmptyOne) {
  EXPECT_EQ(make({{.content = ""}}).id(""), std::nullopt);
  EXPECT_EQ(make({{.content = ""}}).id_end(), 0u);
}

// The expected ids, flags and match are those of tokenizers 0.23.3.
TEST(AddedTokens, TakeTheFlagsOfTheLastOfEqualContent) {
  const AddedTokens tokens = make({{.content = "[X]", .special = true},
                                   {.content = "[Y]"},
                                   {.content = "[X]", .lstrip = true, .normalized = true}});
  EXPECT_EQ(tokens.id("[X]"), 3);
  EXPECT_EQ(tokens.id("[Y]"), 4);
  EXPECT_TRUE(tokens.token(3)->lstrip);
  EXPECT_TRUE(tokens.is_special("[X]"));
  EXPECT_EQ(found(tokens, "[X]"), Spans());
  std::vector<AddedTokenMatch> matches;
  tokens.find_normalized("a [x]", false, [&](const AddedTokenMatch& match) { matches.push_back(match); });
  ASSERT_EQ(matches.size(), 1u);
  EXPECT_EQ(matches[0].begin, 1u);
}

// A match's lstrip does not take white space that the match before it has taken.
TEST(AddedTokens, DoNotShareWhiteSpace) {
  const AddedTokens tokens = make({{.content = "[X]", .lstrip = true, .rstrip = true}});
  EXPECT_EQ(found(tokens, "a [X]  [X] b"), (Spans{{1, 7}, {7, 11}}));
}

TEST(AddedTokens, MatchLeftmostThenLongestAndNeverInsideAnother) {
  const AddedTokens tokens = make({{.content = "ab"}, {.content = "abcd"}, {.content = "bcde"}, {.content = "e"}});
  EXPECT_EQ(found(tokens, "abcde"), (Spans{{0, 4}, {4, 5}}));
  EXPECT_EQ(found(tokens, "abcx"), (Spans{{0, 2}}));
  EXPECT_EQ(found(tokens, "xbcde"), (Spans{{1, 5}}));
  EXPECT_EQ(found(tokens, ""), Spans{});
}

// Compares the matches with those of a search that tries each token at each position.
TEST(AddedTokens, MatchAsASearchForEachOfThem) {
  std::mt19937 random(7);
  const auto letters = [&](size_t longest) {
    std::string text;
    for (size_t size = 1 + random() % longest; size > 0; --size) text += "abc"[random() % 3];
    return text;
  };
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<AddedToken> list;
    for (size_t count = 1 + random() % 12; count > 0; --count) list.push_back({.content = letters(6)});
    const AddedTokens tokens = make(list);
    const std::string text = letters(40);
    Spans expected;
    for (size_t at = 0; at < text.size();) {
      size_t longest = 0;
      for (const AddedToken& token : list) {
        if (text.compare(at, token.content.size(), token.content) == 0) {
          longest = std::max(longest, token.content.size());
        }
      }
      if (longest > 0) expected.emplace_back(at, at + longest);
      at += std::max<size_t>(longest, 1);
    }
    ASSERT_EQ(found(tokens, text), expected) << text;
  }
}

// In the first text many tokens begin at each position and do not end; in the second one each match strips white space.
TEST(AddedTokens, TakeTimeInProportionToTheText) {
  std::vector<AddedToken> list = {{.content = "a"}};
  for (size_t size = 1; size <= 3000; ++size) list.push_back({.content = std::string(size, 'a') + "b"});
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(found(make(list), std::string(1'000'000, 'a')).size(), 1'000'000u);
  const AddedTokens spaces = make({{.content = " ", .rstrip = true}});
  EXPECT_EQ(found(spaces, std::string(1'000'000, ' ')).size(), 1'000'000u);
  // This takes 0.2 s. A search per token, or a scan of the white space per match, would take minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(AddedTokens, AreTextWhereSpecialOnesArePlain) {
  const AddedTokens tokens = make({{.content = "[S]", .special = true}, {.content = "[T]"}});
  EXPECT_EQ(found(tokens, "[S][T]"), (Spans{{0, 3}, {3, 6}}));
  EXPECT_EQ(found(tokens, "[S][T]", true), (Spans{{3, 6}}));
}

TEST(AddedTokens, StandAloneWhereTheyMustBeSingleWords) {
  const AddedTokens tokens = make({{.content = "zz", .single_word = true}});
  EXPECT_EQ(found(tokens, "zz azz zzz _zz zz-zz"), (Spans{{0, 2}, {15, 17}, {18, 20}}));
  EXPECT_EQ(found(tokens, "\xC3\xA9zz zz\xC3\xA9 \xE4\xB8\xADzz"), Spans{});
  EXPECT_EQ(found(tokens, "zzzz"), Spans{}) << "a match that is turned down is passed over whole";
}

TEST(AddedTokens, TakeTheWhiteSpaceTheyStrip) {
  const AddedTokens tokens =
      make({{.content = "<m>", .lstrip = true, .rstrip = true}, {.content = "<l>", .lstrip = true}});
  EXPECT_EQ(found(tokens, "a \xC2\xA0<m>\t b"), (Spans{{1, 9}}));
  EXPECT_EQ(found(tokens, "<m> <l>"), (Spans{{0, 4}, {4, 7}})) << "white space goes to the first that takes it";
  EXPECT_EQ(found(tokens, "  <l>  "), (Spans{{0, 5}}));
}

TEST(AddedTokens, AreSoughtNormalizedInNormalizedText) {
  const AddedTokens tokens = make({{.content = "F\xC3\xB3o", .normalized = true}});
  EXPECT_TRUE(tokens.any_normalized());
  EXPECT_EQ(found(tokens, "foo"), Spans{});
  std::vector<AddedTokenMatch> matches;
  tokens.find_normalized("a foo", false, [&](const AddedTokenMatch& match) { matches.push_back(match); });
  ASSERT_EQ(matches.size(), 1u);
  EXPECT_EQ(matches[0].begin, 2u);
}

TEST(AddedTokens, RefuseNormalizedOnesThatBecomeEqualOrEmpty) {
  EXPECT_EQ(test::error_of(ErrorCode::kUnsupported,
                           [] {
                             make({{.content = "foo", .normalized = true}, {.content = "FOO", .normalized = true}});
                           }),
            "'tokenizer.json': added token 'FOO' is normalized to 'foo', which another added token is too");
  EXPECT_EQ(test::error_of(ErrorCode::kUnsupported, [] { make({{.content = "\xE2\x80\x8B", .normalized = true}}); }),
            "'tokenizer.json': added token '\xE2\x80\x8B' is normalized to nothing, expected at least one character");
}

TEST(AddedTokens, EndureInvalidUtf8AroundThem) {
  const AddedTokens tokens = make({{.content = "zz", .single_word = true, .lstrip = true, .rstrip = true}});
  EXPECT_EQ(found(tokens, "\xFFzz\xE4"), (Spans{{1, 3}}));
  EXPECT_EQ(found(tokens, "\x80\x80\x80\x80\x80zz"), (Spans{{5, 7}}));
}

}  // namespace
}  // namespace bert
