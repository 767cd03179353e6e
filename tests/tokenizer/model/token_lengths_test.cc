#include "tokenizer/model/token_lengths.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace bert {
namespace {

using Lengths = TokenLengths<3, 16>;

TEST(TokenLengths, HasTheLengthsOfTokensThatBeginSo) {
  TokenLengths<3, 4096> lengths;
  lengths.add("abcd");
  lengths.add("abcdef");
  lengths.add(std::string(100, 'x'));
  const std::string text = "abcdefgh";
  EXPECT_EQ(lengths.possible(text.data(), text.size()), 0b101011u);  // 1 and 2 are always possible
  const std::string other = "bcdefgh";
  EXPECT_EQ(lengths.possible(other.data(), other.size()), 0b11u);
  EXPECT_EQ(lengths.possible(text.data(), 2), 0b11u);
  const std::string longer = "xxxy";
  EXPECT_EQ(lengths.possible(longer.data(), longer.size()), 0b11u | uint64_t{1} << 63);
}

TEST(TokenLengths, NeverLeavesOutATokenThatIsThere) {
  std::mt19937 random(1);
  const auto make = [&](size_t most) {
    std::string text(random() % most + 1, 'a');
    for (char& byte : text) byte = static_cast<char>('a' + random() % 3);
    return text;
  };
  Lengths lengths;  // has few buckets, so that most prefixes share one
  std::vector<std::string> tokens;
  for (int i = 0; i < 50; ++i) {
    tokens.push_back(make(70));
    lengths.add(tokens.back());
  }
  for (const std::string& token : tokens) {
    const std::string text = token + make(5);
    const size_t bit = std::min(token.size(), Lengths::kLong) - 1;
    EXPECT_TRUE(lengths.possible(text.data(), text.size()) >> bit & 1) << token;
  }
}

}  // namespace
}  // namespace bert
