#include "tokenizer/post_processor/word_windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/support/random.h"

namespace bert {
namespace {

std::vector<std::pair<size_t, size_t>> windows(const std::vector<size_t>& words, const WindowRoom& room) {
  std::vector<std::pair<size_t, size_t>> all;
  for (TokenRange window{0, 0};; window.begin = next_window(words, window, room)) {
    window.end = window_end(words, window.begin, room);
    all.emplace_back(window.begin, window.end);
    if (window.end == words.size()) return all;
  }
}

using Ranges = std::vector<std::pair<size_t, size_t>>;

// By hand.
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
