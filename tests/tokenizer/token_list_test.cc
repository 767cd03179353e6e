#include "tokenizer/token_list.h"

#include <gtest/gtest.h>

#include <vector>

namespace bert {
namespace {

TokenList numbered(TokenList list, size_t count) {
  for (size_t i = 0; i < count; ++i) list.push_back({static_cast<int32_t>(i), static_cast<int32_t>(i / 2), {i, i + 1}});
  return list;
}

void expect_tokens(const TokenColumns& tokens, size_t first, size_t count) {
  ASSERT_EQ(tokens.size(), count);
  ASSERT_EQ(tokens.words.size(), count);
  ASSERT_EQ(tokens.sources.size(), count);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(tokens.ids[i], static_cast<int32_t>(first + i));
    EXPECT_EQ(tokens.words[i], static_cast<int32_t>((first + i) / 2));
    EXPECT_EQ(tokens.sources[i], (Offset{first + i, first + i + 1}));
  }
}

TEST(TokenList, KeepsAll) {
  const TokenList list = numbered({}, 5000);
  EXPECT_EQ(list.size(), 5000u);
  expect_tokens(list.kept(), 0, 5000);
  expect_tokens(list.part({10, 13}), 10, 3);
}

TEST(TokenList, KeepsTheFirstAndCountsTheOthers) {
  const TokenList list = numbered({3, Direction::kRight}, 5000);
  EXPECT_EQ(list.size(), 5000u);
  expect_tokens(list.kept(), 0, 3);
  expect_tokens(list.part({1, 3}), 1, 2);
  expect_tokens(numbered({0, Direction::kRight}, 2).kept(), 0, 0);
}

TEST(TokenList, KeepsTheLastAndCountsTheOthers) {
  for (const size_t limit : {0, 1, 3, 2000}) {
    const TokenList list = numbered({limit, Direction::kLeft}, 10'000);
    EXPECT_EQ(list.size(), 10'000u);
    expect_tokens(list.part({10'000 - limit, 10'000}), 10'000 - limit, limit);
    EXPECT_LE(list.kept().size(), limit + 2000);
  }
  expect_tokens(numbered({10, Direction::kLeft}, 4).part({0, 4}), 0, 4);
}

TEST(TokenList, KeepsIdsAlone) {
  const TokenList left = numbered({3, Direction::kLeft, true}, 10'000);
  const TokenColumns last = left.part({9'998, 10'000});
  EXPECT_EQ(std::vector(last.ids.begin(), last.ids.end()), (std::vector<int32_t>{9'998, 9'999}));
  EXPECT_TRUE(last.words.empty() && last.sources.empty());
  EXPECT_EQ(numbered({3, Direction::kRight, true}, 5).kept().size(), 3u);
}

}  // namespace
}  // namespace bert
