#include "tokenizer/token_list.h"

#include <gtest/gtest.h>

namespace bert {
namespace {

TokenList numbered(TokenList list, size_t count) {
  for (size_t i = 0; i < count; ++i) list.push_back({static_cast<int32_t>(i), 0, {i, i + 1}});
  return list;
}

void expect_ids(std::span<const Token> tokens, size_t first, size_t count) {
  ASSERT_EQ(tokens.size(), count);
  for (size_t i = 0; i < count; ++i) EXPECT_EQ(tokens[i].id, static_cast<int32_t>(first + i));
}

TEST(TokenList, KeepsAll) {
  const TokenList list = numbered({}, 5000);
  EXPECT_EQ(list.size(), 5000u);
  expect_ids(list.kept(), 0, 5000);
  expect_ids(list.part({10, 13}), 10, 3);
}

TEST(TokenList, KeepsTheFirstAndCountsTheOthers) {
  const TokenList list = numbered({3, Direction::kRight}, 5000);
  EXPECT_EQ(list.size(), 5000u);
  expect_ids(list.kept(), 0, 3);
  expect_ids(list.part({1, 3}), 1, 2);
  expect_ids(numbered({0, Direction::kRight}, 2).kept(), 0, 0);
}

TEST(TokenList, KeepsTheLastAndCountsTheOthers) {
  for (const size_t limit : {0, 1, 3, 2000}) {
    const TokenList list = numbered({limit, Direction::kLeft}, 10'000);
    EXPECT_EQ(list.size(), 10'000u);
    expect_ids(list.part({10'000 - limit, 10'000}), 10'000 - limit, limit);
    EXPECT_LE(list.kept().size(), limit + 2000);
  }
  expect_ids(numbered({10, Direction::kLeft}, 4).part({0, 4}), 0, 4);
}

}  // namespace
}  // namespace bert
