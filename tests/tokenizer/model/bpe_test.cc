#include "tokenizer/model/bpe.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "engine/base/utf8.h"
#include "tests/support/expect_error.h"
#include "tests/tokenizer/model/subword_fixture.h"
#include "tokenizer/model/byte_level.h"

namespace bert {
namespace {

struct Fixture : test::SubwordFixture<Bpe> {
  Fixture(const std::vector<std::string>& tokens, BpeSettings settings)
      : SubwordFixture(tokens, std::move(settings), "v") {}
};

using Merges = std::vector<std::pair<std::string, std::string>>;

// The expected tokens are calculated by hand: the lowest rank merges first; the leftmost of equal pairs merges first.
TEST(Bpe, MergesInTheOrderInWhichTheMergesWereLearnt) {
  const Fixture fixture({"a", "b", "c", "bc", "ab", "abc"}, {.merges = Merges{{"b", "c"}, {"a", "b"}, {"a", "bc"}}});
  EXPECT_EQ(fixture.split("abc"), "abc0-3");
  EXPECT_EQ(fixture.split("abab"), "ab0-2 ab2-4");
  const Fixture pairs({"a", "aa"}, {.merges = Merges{{"a", "a"}}});
  EXPECT_EQ(pairs.split("aaa"), "aa0-2 a2-3");
}

// The expected tokens are those of tokenizers 0.22.2.
TEST(Bpe, KnowsUnknownCharacters) {
  const std::vector<std::string> tokens = {"<unk>", "a", "<0xC3>", "<0xA9>"};
  EXPECT_EQ(Fixture(tokens, {}).split("xa"), "a0-1");
  EXPECT_EQ(Fixture(tokens, {.unknown_token = "<unk>"}).split("xya"), "<unk>0-1 <unk>1-2 a2-3");
  EXPECT_EQ(Fixture(tokens, {.unknown_token = "<unk>", .fuse_unknown = true}).split("xya"), "<unk>0-2 a2-3");
  EXPECT_EQ(Fixture(tokens, {.unknown_token = "<unk>", .byte_fallback = true}).split("\u00E9\u00E8"),
            "<0xC3>0-1 <0xA9>1-2 <unk>2-4");
}

TEST(Bpe, KnowsPrefixesAndSuffixes) {
  const Fixture prefix({"a", "##b", "ab"}, {.merges = Merges{{"a", "##b"}}, .continuing_prefix = "##"});
  EXPECT_EQ(prefix.split("ab"), "ab0-2");
  EXPECT_EQ(prefix.split("b"), "");
  const Fixture suffix({"a", "b</w>", "ab</w>"}, {.merges = Merges{{"a", "b</w>"}}, .end_suffix = "</w>"});
  EXPECT_EQ(suffix.split("ab"), "ab</w>0-2");
}

TEST(Bpe, TakesAWholeTokenWhereMergesAreIgnored) {
  EXPECT_EQ(Fixture({"a", "b", "ab"}, {.ignore_merges = true}).split("ab"), "ab0-2");
  EXPECT_EQ(Fixture({"a", "b", "ab"}, {}).split("ab"), "a0-1 b1-2");
}

TEST(Bpe, RefusesMergesOfWhatIsNotThere) {
  const auto error = [](BpeSettings settings) {
    return test::error_of(ErrorCode::kInvalidFile, [&] { Fixture({"a", "b"}, std::move(settings)); });
  };
  EXPECT_EQ(error({.merges = Merges{{"a", "c"}}}), "'v': merge 0, 'a' with 'c': 'c' is not in the vocabulary");
  EXPECT_EQ(error({.merges = Merges{{"a", "b"}}}), "'v': merge 0, 'a' with 'b': 'ab' is not in the vocabulary");
  EXPECT_EQ(error({.unknown_token = "u"}), "'v': the unknown token 'u' is not in the vocabulary");
}

// Returns the word's tokens by brute force: it repeats the merge of lowest rank among all pairs.
std::vector<int32_t> merged_plainly(const Vocabulary& vocabulary, const Merges& merges, std::string_view word) {
  std::vector<std::string> symbols;
  for (const char c : word) symbols.emplace_back(1, c);
  for (;;) {
    size_t best = merges.size(), place = 0;
    for (size_t i = 0; i + 1 < symbols.size(); ++i) {
      for (size_t rank = 0; rank < best; ++rank) {
        if (merges[rank] == std::pair(symbols[i], symbols[i + 1])) best = rank, place = i;
      }
    }
    if (best == merges.size()) break;
    symbols[place] += symbols[place + 1];
    symbols.erase(symbols.begin() + static_cast<ptrdiff_t>(place) + 1);
  }
  std::vector<int32_t> ids;
  for (const std::string& symbol : symbols) ids.push_back(*vocabulary.id(symbol));
  return ids;
}

TEST(Bpe, EqualsThePlainWayOnRandomModelsAndWords) {
  std::mt19937 random(5);
  for (int model = 0; model < 200; ++model) {
    std::vector<std::string> tokens = {"a", "b", "c"};
    Merges merges;
    for (int i = 0; i < 30; ++i) {
      const auto merge = std::pair(tokens[random() % tokens.size()], tokens[random() % tokens.size()]);
      const std::string joined = merge.first + merge.second;
      if (joined.size() > 12 || std::find(tokens.begin(), tokens.end(), joined) != tokens.end()) continue;
      merges.push_back(merge);
      tokens.push_back(joined);
    }
    const Fixture fixture(tokens, {.merges = merges});
    for (int n = 0; n < 20; ++n) {
      std::string word;
      for (size_t length = random() % 40; length > 0; --length) word += "abc"[random() % 3];
      std::vector<int32_t> ids;
      for (const SubwordToken& token : fixture.tokens(word)) ids.push_back(token.id);
      EXPECT_EQ(ids, merged_plainly(fixture.vocabulary, merges, word)) << word;
    }
  }
}

// A model whose first 256 tokens are the characters of bytes. The others are random merges.
struct RandomByteMerges {
  Merges merges;
  std::vector<std::string> tokens;
  explicit RandomByteMerges(std::mt19937& random) {
    for (int byte = 0; byte < 256; ++byte) append_utf8(tokens.emplace_back(), char_of_byte(static_cast<char>(byte)));
    const auto character = [&] { return tokens[std::string_view("ab \xC3\xA9")[random() % 5] & 255]; };
    for (int i = 0; i < 60; ++i) {
      const auto part = [&] {
        return random() % 2 == 0 ? character() : tokens[256 + random() % (tokens.size() - 255) - 1];
      };
      const auto merge = std::pair(part(), part());
      if (std::find(tokens.begin(), tokens.end(), merge.first + merge.second) != tokens.end()) continue;
      merges.push_back(merge);
      tokens.push_back(merge.first + merge.second);
    }
  }
};

TEST(Bpe, SplitsBytesAsTheirCharacters) {
  std::mt19937 random(6);
  for (int model = 0; model < 60; ++model) {
    const RandomByteMerges bytes(random);
    const Fixture fixture(bytes.tokens, {.merges = bytes.merges, .ignore_merges = model % 2 == 0});
    ASSERT_TRUE(fixture.model.has_all_bytes());
    BpeWord symbols;
    for (int n = 0; n < 40; ++n) {
      std::string word, mapped;
      for (size_t length = 1 + random() % 60; length > 0; --length) word += "ab \xC3\xA9"[random() % 5];
      for (const char byte : word) append_utf8(mapped, char_of_byte(byte));
      fixture.model.split_bytes(word, symbols);
      const std::vector<SubwordToken> expected = fixture.tokens(mapped);
      ASSERT_EQ(symbols.size(), expected.size());
      for (size_t i = 0; i < symbols.size(); ++i) ASSERT_EQ(symbols.id(i), expected[i].id) << word;
    }
  }
  EXPECT_FALSE(Fixture({"a"}, {}).model.has_all_bytes());
}

TEST(Bpe, RefusesAWordThatNeedsTooMuchMemory) {
  const Fixture fixture({"a"}, {});
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidText, [&] { fixture.tokens(std::string(Bpe::kMaxWordBytes + 1, 'a')); }),
            "a word of 16777217 bytes, expected at most 16777216 in a BPE tokenizer");
}

TEST(Bpe, IsNotQuadraticInAWord) {
  std::vector<std::string> tokens = {"a", "b"};
  Merges merges;
  for (int i = 0; i < 10; ++i) {
    merges.emplace_back(tokens.back() == "b" ? "a" : tokens.back(), tokens.back() == "b" ? "a" : tokens.back());
    tokens.push_back(merges.back().first + merges.back().second);
  }
  const Fixture fixture(tokens, {.merges = merges});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(fixture.tokens(std::string(1 << 20, 'a')).size(), size_t{1} << 10);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 20) << "n log n needs about a second, a quadratic way hours";
}

}  // namespace
}  // namespace bert
