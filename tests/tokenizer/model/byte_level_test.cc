#include "tokenizer/model/byte_level.h"

#include <gtest/gtest.h>

#include <set>

namespace bert {
namespace {

TEST(ByteLevel, HasOneCharacterForEachByteAndBack) {
  std::set<char32_t> seen;
  for (int byte = 0; byte < 256; ++byte) {
    const char32_t c = char_of_byte(static_cast<char>(byte));
    EXPECT_TRUE(seen.insert(c).second);
    EXPECT_EQ(byte_of_char(c), static_cast<char>(byte));
  }
  EXPECT_EQ(char_of_byte(' '), U'\u0120');
  EXPECT_EQ(char_of_byte('\n'), U'\u010A');
  EXPECT_EQ(char_of_byte('A'), U'A');
  EXPECT_EQ(byte_of_char(U' '), std::nullopt);
  EXPECT_EQ(byte_of_char(U'\u6F22'), std::nullopt);
}

TEST(ByteLevel, TrimsSpansByTheSpacesOfTheToken) {
  EXPECT_EQ(trim_span(end_spaces("\u0120a"), " a", {0, 2}, false), (Offset{1, 2}));
  EXPECT_EQ(trim_span(end_spaces("\u0120a"), " a", {0, 2}, true), (Offset{0, 2}));
  EXPECT_EQ(trim_span(end_spaces("\u0120\u0120"), "x  ", {1, 3}, false), (Offset{3, 3}));
  EXPECT_EQ(trim_span(end_spaces("\u0120\u0120"), "  ", {0, 2}, true), (Offset{2, 2}));  // two spaces: both are trimmed
  EXPECT_EQ(trim_span(end_spaces("\u3000a\u00A0"), "\u3000a\u00A0", {0, 6}, false), (Offset{3, 4}));
}

}  // namespace
}  // namespace bert
