#include "tokenizer/model/byte_fallback.h"

#include <gtest/gtest.h>

namespace bert {
namespace {

TEST(ByteFallback, HasTheIdsOfTheBytesThatHaveTokens) {
  const Vocabulary vocabulary = Vocabulary::from_list({"<unk>", "<0xC3>", "<0xA9>", "<0x00>", "<0xc4>"}, "f");
  const ByteFallback bytes(vocabulary);
  EXPECT_EQ(bytes.id('\xC3'), 1);
  EXPECT_EQ(bytes.id('\0'), 3);
  EXPECT_EQ(bytes.id('\xC4'), -1);  // the tokens' digits are capitals
  EXPECT_TRUE(bytes.covers("\u00E9"));
  EXPECT_FALSE(bytes.covers("\u00E9a"));
  EXPECT_TRUE(bytes.covers(""));
}

TEST(ByteFallback, KnowsItsTokens) {
  EXPECT_EQ(fallback_byte("<0x4A>"), 'J');
  EXPECT_EQ(fallback_byte("<0xff>"), '\xFF');
  for (const char* token : {"", "<0x4>", "<0x4G>", "<0x4A", "x0x4A>", "<0x4A>>", "<1x4A>"}) {
    EXPECT_EQ(fallback_byte(token), std::nullopt) << token;
  }
}

}  // namespace
}  // namespace bert
