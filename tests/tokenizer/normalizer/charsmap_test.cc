#include "tokenizer/normalizer/charsmap.h"

#include <gtest/gtest.h>

#include "tests/support/alignment.h"
#include "tests/support/expect_error.h"
#include "tokenizer/normalizer/normalizer.h"

namespace bert {
namespace {

// Returns a character map with the keys "a" and "b", both mapped to "X". The root's children are at 256 ^ byte.
std::string small_charsmap() {
  std::vector<uint32_t> units(512, 0xFF);
  units[0] = 256u << 10;
  const uint32_t leaf = 1u << 8;
  units[256 ^ 'a'] = 'a' | leaf | (64u ^ (256u ^ 'a')) << 10;
  units[64] = 0x80000000;
  units[256 ^ 'b'] = 'b' | leaf | (65u ^ (256u ^ 'b')) << 10;
  units[65] = 0x80000000;
  std::string bytes;
  const auto put = [&](uint32_t value) {
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i));
  };
  put(static_cast<uint32_t>(4 * units.size()));
  for (const uint32_t unit : units) put(unit);
  return bytes + std::string("X\0", 2);
}

std::string mapped(std::string_view text) {
  NormalizedText result = original_text(text, 0);
  Charsmap(small_charsmap(), "test").apply(result);
  return test::alignment(result);
}

// The expected texts and offsets are those of tokenizers 0.22.2 for a map of these keys.
TEST(Charsmap, ReplacesAWholeClusterByWhatItsBeginningBecomes) {
  EXPECT_EQ(mapped("a\u0301c"), "X0-1 c3-4");
  EXPECT_EQ(mapped("cbc"), "c0-1 X1-2 c2-3");
}

TEST(Charsmap, LooksUpCharactersOfAClusterOfSixBytes) {
  EXPECT_EQ(mapped("a\u200D\u0301b"), "X0-1 \u200D1-4 \u03014-6 X6-7");
}

TEST(Charsmap, LeavesATextWithoutKeysAsItIs) { EXPECT_EQ(mapped("\u00E9"), "\u00E90-2"); }

TEST(Charsmap, RefusesATrieThatIsNotThere) {
  const auto error = [](std::string_view bytes) {
    return test::error_of(ErrorCode::kInvalidFile, [&] { Charsmap(bytes, "f"); });
  };
  EXPECT_EQ(error("ab"), "'f': precompiled_charsmap: found 2 bytes, expected at least 4");
  EXPECT_EQ(error(std::string_view("\x08\0\0\0abcd", 8)),
            "'f': precompiled_charsmap: found a trie of 8 bytes, expected a multiple of 4 in the 4 that follow");
}

// The sanitizers find a read outside the trie.
TEST(Charsmap, StaysInsideABrokenTrie) {
  const std::string good = small_charsmap();
  for (size_t i = 4; i < good.size() - 2; ++i) {
    std::string broken = good;
    broken[i] = static_cast<char>(broken[i] ^ 0x5A);
    NormalizedText text = original_text("abc\u0301", 0);
    Charsmap(broken, "test").apply(text);
    EXPECT_LE(text.bytes.size(), 9u);
  }
}

TEST(Base64, IsDecodedOrRefused) {
  EXPECT_EQ(decode_base64("QUJD"), "ABC");
  EXPECT_EQ(decode_base64("QUI="), "AB");
  EXPECT_EQ(decode_base64("QQ=="), "A");
  EXPECT_EQ(decode_base64(""), "");
  EXPECT_EQ(decode_base64("QUJ"), std::nullopt);
  EXPECT_EQ(decode_base64("QU?D"), std::nullopt);
  EXPECT_EQ(decode_base64("QQ==QQ=="), std::nullopt);
}

}  // namespace
}  // namespace bert
