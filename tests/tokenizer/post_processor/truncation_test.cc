#include "tokenizer/post_processor/truncation.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/random.h"

namespace bert {
namespace {

using test::error_of;

std::pair<size_t, size_t> kept(size_t text, size_t pair, size_t room, Truncation strategy = Truncation::kLongestFirst) {
  const SequenceLengths result = truncated_lengths({text, pair}, room, strategy);
  return {result.text, result.pair.value()};
}

TEST(Truncation, LeavesWhatFitsAlone) {
  EXPECT_EQ(kept(3, 4, 7), (std::pair<size_t, size_t>(3, 4)));
  EXPECT_EQ(truncated_lengths({5, std::nullopt}, 5, Truncation::kError).text, 5u);
}

TEST(Truncation, CutsASingleTextToTheRoom) {
  EXPECT_EQ(truncated_lengths({9, std::nullopt}, 4, Truncation::kLongestFirst).text, 4u);
  EXPECT_EQ(truncated_lengths({9, std::nullopt}, 4, Truncation::kOnlyFirst).text, 4u);
  EXPECT_EQ(truncated_lengths({9, std::nullopt}, 0, Truncation::kOnlyFirst).text, 0u);
}

// As in tokenizers 0.22.2, the longer sequence keeps the odd token; if both are equally long, the pair keeps it.
TEST(Truncation, GivesTheOddTokenToTheLonger) {
  EXPECT_EQ(kept(2000, 1000, 509), (std::pair<size_t, size_t>(255, 254)));
  EXPECT_EQ(kept(1000, 2000, 509), (std::pair<size_t, size_t>(254, 255)));
  EXPECT_EQ(kept(1000, 1000, 509), (std::pair<size_t, size_t>(254, 255)));
}

// Compares the two lengths, in either order, with those of a loop that removes tokens one by one from the longer
// sequence.
TEST(Truncation, LongestFirstTakesFromTheLongerForEveryLength) {
  for (size_t text = 0; text <= 20; ++text) {
    for (size_t pair = 0; pair <= 20; ++pair) {
      for (size_t room = 0; room <= 24; ++room) {
        size_t a = text, b = pair;
        while (a + b > room) a > b ? --a : --b;
        const auto [x, y] = kept(text, pair, room);
        EXPECT_EQ(x + y, a + b);
        EXPECT_EQ(std::min(x, y), std::min(a, b)) << text << " " << pair << " " << room;
        EXPECT_LE(x, text);
        EXPECT_LE(y, pair);
        const bool right_side = text > pair ? x >= y : x <= y;  // on a tie the pair has the odd token
        EXPECT_TRUE(right_side || x + y == text + pair) << text << " " << pair << " " << room;
      }
    }
  }
}

TEST(Truncation, OnlyFirstAndOnlySecondTakeFromOneForEveryLength) {
  for (size_t text = 0; text <= 12; ++text) {
    for (size_t pair = 0; pair <= 12; ++pair) {
      for (size_t room = 0; room <= 26; ++room) {
        const size_t excess = text + pair > room ? text + pair - room : 0;
        for (const Truncation strategy : {Truncation::kOnlyFirst, Truncation::kOnlySecond}) {
          const bool first = strategy == Truncation::kOnlyFirst;
          const size_t of = first ? text : pair;
          if (excess == 0) {
            EXPECT_EQ(kept(text, pair, room, strategy), std::pair(text, pair));
          } else if (room == 0) {
            EXPECT_EQ(kept(text, pair, room, strategy), (std::pair<size_t, size_t>(0, 0)));
          } else if (of > excess) {
            EXPECT_EQ(kept(text, pair, room, strategy),
                      first ? std::pair(text - excess, pair) : std::pair(text, pair - excess));
          } else {
            EXPECT_NE(error_of(ErrorCode::kInvalidText, [&] { kept(text, pair, room, strategy); }), "");
          }
        }
      }
    }
  }
}

TEST(Truncation, SaysWhyItCannotCut) {
  EXPECT_EQ(error_of(ErrorCode::kInvalidText, [] { kept(1, 5, 4, Truncation::kOnlyFirst); }),
            "truncation only_first: the text has 1 token and would lose 2, expected at least one to stay");
  EXPECT_EQ(error_of(ErrorCode::kInvalidText,
                     [] {
                       truncated_lengths({5, std::nullopt}, 4, Truncation::kOnlySecond);
                     }),
            "truncation only_second: there is no second text, and the first has 1 more than fit");
  EXPECT_EQ(error_of(ErrorCode::kInvalidText, [] { kept(1, 5, 4, Truncation::kError); }),
            "the text has 6 tokens, which is 2 more than fit, and truncation is off");
}

TEST(Truncation, WindowsShareTheStrideAndEndAtTheEnd) {
  EXPECT_EQ(token_windows(10, 4, 1, Direction::kRight), (std::vector<TokenRange>{{0, 4}, {3, 7}, {6, 10}}));
  EXPECT_EQ(token_windows(9, 4, 0, Direction::kRight), (std::vector<TokenRange>{{0, 4}, {4, 8}, {8, 9}}));
  EXPECT_EQ(token_windows(9, 4, 0, Direction::kLeft), (std::vector<TokenRange>{{5, 9}, {1, 5}, {0, 1}}));
  EXPECT_EQ(token_windows(4, 4, 3, Direction::kRight), (std::vector<TokenRange>{{0, 4}}));
  EXPECT_EQ(token_windows(3, 0, 0, Direction::kRight), (std::vector<TokenRange>{{0, 0}, {0, 3}}));
}

TEST(Truncation, WindowsCoverEveryTokenForEveryLength) {
  for (const Direction direction : {Direction::kRight, Direction::kLeft}) {
    for (size_t length = 0; length <= 20; ++length) {
      for (size_t room = 1; room <= 20; ++room) {
        for (size_t stride = 0; stride < room; ++stride) {
          const auto windows = token_windows(length, room, stride, direction);
          std::vector<int> covered(length);
          for (const TokenRange& window : windows) {
            EXPECT_LE(window.size(), room);
            for (size_t i = window.begin; i < window.end; ++i) ++covered[i];
          }
          for (const int count : covered) EXPECT_GE(count, 1);
          for (size_t i = 1; i < windows.size(); ++i) {
            const size_t shared = direction == Direction::kRight ? windows[i - 1].end - windows[i].begin
                                                                 : windows[i].end - windows[i - 1].begin;
            EXPECT_EQ(shared, stride);
          }
        }
      }
    }
  }
}

TEST(Truncation, RefusesAStrideThatNeverMoves) {
  EXPECT_EQ(error_of(ErrorCode::kInvalidArgument, [] { token_windows(9, 4, 4, Direction::kRight); }),
            "a window has room for 4 tokens of the text that is cut, expected more than the stride of 4");
}

std::vector<std::pair<size_t, size_t>> windows(const std::vector<size_t>& words, const WindowRoom& room) {
  std::vector<std::pair<size_t, size_t>> all;
  for (TokenRange window{0, 0};; window.begin = next_window(words, window, room)) {
    window.end = window_end(words, window.begin, room);
    all.emplace_back(window.begin, window.end);
    if (window.end == words.size()) return all;
  }
}

using Ranges = std::vector<std::pair<size_t, size_t>>;

// The expected values are calculated by hand.
TEST(WordWindows, ShareWordsOfAtLeastTheStride) {
  const std::vector<size_t> words = {2, 1, 3, 1, 2, 2};
  EXPECT_EQ(windows(words, {.tokens = 6, .words = 9, .stride = 0}), (Ranges{{0, 3}, {3, 6}}));
  EXPECT_EQ(windows(words, {.tokens = 6, .words = 9, .stride = 2}), (Ranges{{0, 3}, {2, 5}, {4, 6}}));
  EXPECT_EQ(windows(words, {.tokens = 60, .words = 3, .stride = 1}), (Ranges{{0, 3}, {2, 5}, {4, 6}}));
  EXPECT_EQ(windows(words, {.tokens = 60, .words = 9, .stride = 5}), (Ranges{{0, 6}}));
}

TEST(WordWindows, GiveAWordThatDoesNotFitAWindowOfItsOwn) {
  EXPECT_EQ(windows({2, 9, 2, 2}, {.tokens = 4, .words = 9, .stride = 2}), (Ranges{{0, 1}, {1, 2}, {2, 4}}));
}

TEST(WordWindows, CoverEveryWordAndGoOn) {
  test::Random random(3);
  for (int round = 0; round < 500; ++round) {
    std::vector<size_t> words(1 + random.below(40));
    for (size_t& tokens : words) tokens = random.below(7);
    const WindowRoom room{1 + random.below(12), 1 + random.below(6), random.below(8)};
    size_t end = 0;
    for (const auto& [first, last] : windows(words, room)) {
      ASSERT_LE(first, end);
      ASSERT_GT(last, end);
      end = last;
      const size_t tokens =
          std::accumulate(words.begin() + std::ptrdiff_t(first), words.begin() + std::ptrdiff_t(last), size_t{0});
      ASSERT_TRUE(last == first + 1 || (tokens <= room.tokens && last - first <= room.words));
    }
    EXPECT_EQ(end, words.size());
  }
}

}  // namespace

}  // namespace bert
