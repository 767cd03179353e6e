#include "tokenizer/model/bpe_word.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/random.h"

namespace bert {
namespace {

// Merges of random tokens, each to a new token; tokens 0 to 2 are no merges.
struct RandomMerges {
  struct Merge {
    int32_t left, right, id;
  };
  std::vector<Merge> list;
  MergeTable table;

  explicit RandomMerges(test::Random& random) {
    table.reset(40);
    for (int32_t id = 3; id < 43; ++id) {
      const auto token = [&] { return static_cast<int32_t>(random.below(static_cast<size_t>(id))); };
      const Merge merge = {token(), token(), id};
      const auto is_same = [&](const Merge& other) { return other.left == merge.left && other.right == merge.right; };
      if (std::any_of(list.begin(), list.end(), is_same)) continue;
      table.insert(merge.left, merge.right, static_cast<int32_t>(list.size()), id);
      list.push_back(merge);
    }
  }
};

// Merges the symbols by brute force: it looks at the whole word for each merge.
std::vector<int32_t> merged_plainly(const RandomMerges& merges, std::vector<int32_t> symbols) {
  for (;;) {
    size_t best = merges.list.size(), place = 0;
    for (size_t i = 0; i + 1 < symbols.size(); ++i) {
      for (size_t rank = 0; rank < best; ++rank) {
        const RandomMerges::Merge& merge = merges.list[rank];
        if (merge.left == symbols[i] && merge.right == symbols[i + 1]) best = rank, place = i;
      }
    }
    if (best == merges.list.size()) return symbols;
    symbols[place] = merges.list[best].id;
    symbols.erase(symbols.begin() + static_cast<ptrdiff_t>(place) + 1);
  }
}

void expect_tokens(const BpeWord& word, const std::vector<int32_t>& expected, size_t bytes) {
  ASSERT_EQ(word.size(), expected.size());
  size_t end = 0;
  for (size_t i = 0; i < word.size(); ++i) {
    ASSERT_EQ(word.id(i), expected[i]) << "symbol " << i;
    end += word.length(i);
  }
  ASSERT_EQ(end, bytes);
}

TEST(BpeWord, MergesWordsOfEveryLengthAsThePlainLoop) {
  test::Random random(4);
  BpeWord word;
  for (int model = 0; model < 30; ++model) {
    const RandomMerges merges(random);
    ByteSymbols bytes;
    bytes.ids.fill(-1);
    bytes.pairs.resize(65536);
    for (size_t a = 0; a < 3; ++a) {
      bytes.ids['a' + a] = static_cast<int32_t>(a);
      for (size_t b = 0; b < 3; ++b) {
        const auto* merge = merges.table.find(static_cast<int32_t>(a), static_cast<int32_t>(b));
        if (merge != nullptr) bytes.pairs[('a' + a) << 8 | ('a' + b)] = {merge->rank, merge->id};
      }
    }
    for (size_t length = 0; length <= BpeWord::kShort + 9; ++length) {
      std::string text;
      std::vector<int32_t> symbols;
      for (size_t i = 0; i < length; ++i) {
        symbols.push_back(static_cast<int32_t>(random.below(3)));
        text += static_cast<char>('a' + symbols.back());
      }
      const std::vector<int32_t> expected = merged_plainly(merges, symbols);
      for (const bool grows : {true, false}) {
        word.clear();
        for (const int32_t symbol : symbols) word.add(symbol, 2);
        word.merge(merges.table, grows);
        expect_tokens(word, expected, 2 * length);
        word.merge_bytes(text, bytes, merges.table, grows);
        expect_tokens(word, expected, length);
      }
    }
  }
}

// The expected tokens are calculated by hand for the reference's heap: the pair of 0 and 1 is queued first; when 1
// becomes 4, the pair of 0 and 4 makes the same token, so the queued entry stays valid.
TEST(BpeWord, MergesAChangedPairAtTheRankOfTheOldOneIfTheTokenIsTheSame) {
  MergeTable merges;
  merges.reset(4);
  merges.insert(1, 2, 0, 4);
  merges.insert(0, 1, 1, 5);
  merges.insert(4, 3, 2, 6);
  merges.insert(0, 4, 3, 5);
  BpeWord word;
  for (const int32_t symbol : {0, 1, 2, 3}) word.add(symbol, 1);
  word.merge(merges, false);
  ASSERT_EQ(word.size(), 2u);
  EXPECT_EQ(word.id(0), 5);
  EXPECT_EQ(word.length(0), 3u);
  EXPECT_EQ(word.id(1), 3);
}

}  // namespace
}  // namespace bert
