#include "tokenizer/model/unigram.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <random>

#include "tests/support/expect_error.h"
#include "tests/support/sanitizers.h"
#include "tests/tokenizer/model/subword_fixture.h"

namespace bert {
namespace {

struct UnigramFixture : test::SubwordFixture<Unigram> {
  UnigramFixture(const std::vector<std::string>& tokens, UnigramSettings settings)
      : SubwordFixture(tokens, std::move(settings), "v") {}
};

// The expected values are calculated by hand.
TEST(Unigram, TakesThePathWithTheLargestSum) {
  const UnigramFixture fixture({"<unk>", "a", "b", "ab", "abc", "c"}, {.scores = {0, -1, -1, -1.5, -4, -1}});
  EXPECT_EQ(fixture.split("ab"), "ab0-2");
  EXPECT_EQ(fixture.split("abc"), "ab0-2 c2-3");
  EXPECT_EQ(fixture.split("ba"), "b0-1 a1-2");
}

TEST(Unigram, JoinsNeighbouringUnknownCharacters) {
  const UnigramFixture fixture({"<unk>", "a"}, {.scores = {0, -1}});
  EXPECT_EQ(fixture.split("xya\u00E9"), "<unk>0-2 a2-3 <unk>3-5");
}

TEST(Unigram, FallsBackToBytesWhereItHasAllOfThem) {
  const std::vector<std::string> tokens = {"<unk>", "a", "<0xC3>", "<0xA9>"};
  const UnigramFixture fixture(tokens, {.scores = {0, -1, -1, -1}, .byte_fallback = true});
  EXPECT_EQ(fixture.split("a\u00E9"), "a0-1 <0xC3>1-3 <0xA9>1-3");
  EXPECT_EQ(fixture.split("\u00E8"), "<unk>0-2");
}

TEST(Unigram, GivesATokenThatStandsTwiceItsLaterIdAndScore) {
  const UnigramFixture fixture({"<unk>", "a", "b", "ab", "a"}, {.scores = {0, -1, -1, -2.5, -9}});
  EXPECT_EQ(fixture.tokens("a")[0].id, 4);
  EXPECT_EQ(fixture.split("ab"), "ab0-2");
}

// The expected values are those of tokenizers 0.23.3.
TEST(Unigram, WithoutAnUnknownTokenRefusesTextThatNeedsIt) {
  const UnigramFixture fixture({"a", "ab"}, {.scores = {-1, -1.5}, .unknown_id = std::nullopt});
  EXPECT_EQ(fixture.split("aab"), "a0-1 ab1-3") << "a token has the b, which is none";
  EXPECT_EQ(fixture.model.unknown_id(), std::nullopt);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidText, [&] { fixture.tokens("aba\u00E9"); }),
            "no token for '\u00E9', expected text that the tokens cover: the tokenizer has no unknown token (unk_id)");
  const UnigramFixture larger({"a", "ab", "abc"}, {.scores = {200, -100, 0}, .unknown_id = std::nullopt});
  test::error_of(ErrorCode::kInvalidText, [&] { larger.tokens("abc"); });
  const std::vector<std::string> bytes = {"a", "<0xC3>", "<0xA9>"};
  const UnigramFixture of_bytes(bytes, {.scores = {-1, -2, -2}, .unknown_id = std::nullopt, .byte_fallback = true});
  test::error_of(ErrorCode::kInvalidText, [&] { of_bytes.tokens("\u00E9"); });
}

// Returns the best sum over all splits of the word, each added from the left as in the model. sum: that of the words
// before.
double best_sum(const std::vector<std::string>& tokens, const std::vector<double>& scores, std::string_view word,
                double sum) {
  if (word.empty()) return sum;
  double best = -std::numeric_limits<double>::infinity();
  bool covered = false;
  for (size_t id = 1; id < tokens.size(); ++id) {
    if (!word.starts_with(tokens[id])) continue;
    covered |= tokens[id].size() == 1;
    best = std::max(best, best_sum(tokens, scores, word.substr(tokens[id].size()), sum + scores[id]));
  }
  const double least = *std::min_element(scores.begin(), scores.end());
  return covered ? best : std::max(best, best_sum(tokens, scores, word.substr(1), sum + least - 10));
}

TEST(Unigram, FindsTheBestOfAllPathsOnRandomModels) {
  std::mt19937 random(7);
  for (int model = 0; model < 200; ++model) {
    std::vector<std::string> tokens = {"<unk>"};
    std::vector<double> scores = {0};
    for (int i = 0; i < 8; ++i) {
      std::string token;
      for (size_t length = 1 + random() % 8; length > 0; --length) token += "abc"[random() % 3];
      if (std::find(tokens.begin(), tokens.end(), token) != tokens.end()) continue;
      tokens.push_back(token);
      scores.push_back(-static_cast<double>(random() % 1000) / 128);
    }
    const UnigramFixture fixture(tokens, {.scores = scores});
    std::string word;
    for (size_t length = 1 + random() % 16; length > 0; --length) word += "abc"[random() % 3];
    const double least = *std::min_element(scores.begin(), scores.end());
    double sum = 0;
    for (const SubwordToken& token : fixture.tokens(word)) {
      sum += token.id == 0 ? static_cast<double>(token.end - token.begin) * (least - 10)
                           : scores[static_cast<size_t>(token.id)];
    }
    EXPECT_DOUBLE_EQ(sum, best_sum(tokens, scores, word, 0)) << word;
  }
}

// The model keeps scores of a window of the word; the expected path comes from a list of all scores.
TEST(Unigram, FindsTheBestPathThroughALongWord) {
  std::mt19937 random(8);
  const std::vector<std::string> tokens = {"<unk>", "a", "b", "ab", "ba", "aab", "bbb", "abab", "\u00E9"};
  for (int model = 0; model < 20; ++model) {
    std::vector<double> scores = {0};
    for (size_t i = 1; i < tokens.size(); ++i) scores.push_back(-static_cast<double>(random() % 1000) / 128);
    std::string word;
    while (word.size() < 3000) word += std::array{"a", "b", "a", "\u00E9", "\u00EA"}[random() % 5];
    const double unknown = *std::min_element(scores.begin(), scores.end()) - 10;
    std::vector<double> best(word.size() + 1, -INFINITY);
    best[0] = 0;
    for (size_t i = 0; i < word.size(); ++i) {
      if (std::isinf(best[i])) continue;
      for (size_t id = 1; id < tokens.size(); ++id) {
        if (!word.substr(i).starts_with(tokens[id])) continue;
        best[i + tokens[id].size()] = std::max(best[i + tokens[id].size()], best[i] + scores[id]);
      }
      if (word.substr(i).starts_with("\u00EA")) best[i + 2] = std::max(best[i + 2], best[i] + unknown);
    }
    const UnigramFixture fixture(tokens, {.scores = scores});
    double sum = 0;
    for (const SubwordToken& token : fixture.tokens(word)) {
      sum += token.id == 0 ? static_cast<double>(token.end - token.begin) / 2 * unknown
                           : scores[static_cast<size_t>(token.id)];
    }
    EXPECT_NEAR(sum, best.back(), 1e-8);
  }
}

TEST(Unigram, FindsTokensOfAnyLength) {
  const std::string a64(64, 'a'), a70(70, 'a'), many = "\u2581\u4E2D\u6587\u5B57";
  const UnigramFixture fixture({"<unk>", "a", a64, a70, many}, {.scores = {0, -1, -2, -2, -3}});
  EXPECT_EQ(fixture.split(a70), a70 + "0-70");
  EXPECT_EQ(fixture.split(a64 + many), a64 + "0-64 " + many + "64-76");
  EXPECT_EQ(fixture.tokens(a70 + a64 + a70 + "a").size(), 4u);
}

// At each character tokens of all lengths match, so a character costs as many steps as the longest token has bytes.
TEST(Unigram, BoundsTheLengthOfATokenAndSoTheTimeOfAText) {
  std::vector<std::string> tokens = {"<unk>"};
  std::vector<double> scores = {0};
  for (size_t length = 1; length <= Unigram::kMaxTokenBytes; ++length) {
    tokens.emplace_back(length, 'a');
    scores.push_back(-1 - static_cast<double>(length) / 1024);
  }
  const UnigramFixture fixture(tokens, {.scores = scores});
  const size_t count = BERT_SANITIZED ? 1 << 7 : 1 << 9;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(fixture.tokens(std::string(count * Unigram::kMaxTokenBytes, 'a')).size(), count);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 60) << "an eighth of a second alone on a machine, 2 s with sanitizers";

  tokens.emplace_back(Unigram::kMaxTokenBytes + 1, 'a');
  EXPECT_EQ(test::error_of(ErrorCode::kUnsupported, [&] { UnigramFixture(tokens, {.scores = scores}); }),
            "'v': a token of 257 bytes, expected at most 256 in a Unigram vocabulary");
}

TEST(Unigram, IsLinearInAWord) {
  const UnigramFixture fixture({"<unk>", "a", "aa", "aaaa"}, {.scores = {0, -1, -1.5, -2}});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(fixture.tokens(std::string(1 << 20, 'a')).size(), size_t{1} << 18);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 20) << "a linear way needs well under a second, a quadratic one hours";
}

}  // namespace
}  // namespace bert
