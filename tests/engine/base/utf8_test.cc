#include "engine/base/utf8.h"

#include <gtest/gtest.h>

namespace bert {
namespace {

bool is_surrogate(char32_t c) { return c >= 0xD800 && c <= 0xDFFF; }

TEST(Utf8, GivesEveryScalarValueBack) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (is_surrogate(c)) continue;
    std::string text;
    append_utf8(text, c);
    const Utf8Char decoded = decode_utf8(text, 0);
    ASSERT_EQ(decoded.code_point, c);
    ASSERT_EQ(decoded.bytes, text.size());
  }
}

// Compares every pair of first bytes with table 3-7, well-formed byte sequences, of the Unicode Standard 15.0.
TEST(Utf8, RefusesWhatTable3Dash7Refuses) {
  for (unsigned first = 0x80; first <= 0xFF; ++first) {
    for (unsigned second = 0; second <= 0xFF; ++second) {
      const bool tail = second >= 0x80 && second <= 0xBF;
      size_t bytes = 0;
      if (first >= 0xC2 && first <= 0xDF && tail) bytes = 2;
      if (first >= 0xE0 && first <= 0xEF && tail) bytes = 3;
      if (first >= 0xF0 && first <= 0xF4 && tail) bytes = 4;
      if (first == 0xE0 && second < 0xA0) bytes = 0;
      if (first == 0xED && second > 0x9F) bytes = 0;
      if (first == 0xF0 && second < 0x90) bytes = 0;
      if (first == 0xF4 && second > 0x8F) bytes = 0;
      const std::string text = {static_cast<char>(first), static_cast<char>(second), '\x80', '\x80'};
      ASSERT_EQ(decode_utf8(text, 0).bytes, bytes) << std::hex << first << ' ' << second;
    }
  }
}

TEST(Utf8, RefusesACharacterThatTheEndCuts) {
  const std::string grin = "\xF0\x9F\x98\x80";
  for (size_t length = 1; length < grin.size(); ++length) {
    EXPECT_EQ(decode_utf8(std::string_view(grin).substr(0, length), 0).bytes, 0u) << length;
  }
}

TEST(Utf8, FindsWhereCharactersBegin) {
  const std::string_view text = "a\u00E9\u2581z";  // characters begin at 0, 1, 3 and 6
  const size_t starts[] = {0, 1, 1, 3, 3, 3, 6, 7};
  for (size_t at = 0; at <= text.size(); ++at) EXPECT_EQ(character_start(text, at), starts[at]) << at;
  EXPECT_EQ(character_start("\x80\x80", 1), 0u);
  EXPECT_EQ(count_characters(text), 4u);
  EXPECT_EQ(count_characters(""), 0u);
}

TEST(Utf8, FindsTheFirstInvalidByte) {
  EXPECT_EQ(find_invalid_utf8(""), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("caf\xC3\xA9"), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("caf\xC3"), 3u);
  EXPECT_EQ(find_invalid_utf8("\xC3\xA9\xFF\xFE"), 2u);
  for (size_t position = 0; position < 30; ++position) {
    std::string text(30, 'a');
    text[position] = '\xFF';
    EXPECT_EQ(find_invalid_utf8(text), position);
  }
}

}  // namespace
}  // namespace bert
