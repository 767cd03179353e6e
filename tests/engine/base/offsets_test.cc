// Compares positions in other units with values found by hand and with a count over every byte.
#include "bert/offsets.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/base/utf8.h"

namespace bert {
namespace {

TEST(OffsetUnits, AreBytesInAscii) {
  const OffsetUnits points("a dog", OffsetUnit::kCodePoints);
  EXPECT_EQ(points.before(0), 0u);
  EXPECT_EQ(points.before(5), 5u);
  EXPECT_EQ(OffsetUnits("", OffsetUnit::kCodePoints).before(0), 0u);
}

// The characters a, é, 北 and 😀 have one, two, three and four bytes.
TEST(OffsetUnits, CountCharactersOfEveryLength) {
  const OffsetUnits points("a\u00e9\u5317\U0001F600b", OffsetUnit::kCodePoints);
  EXPECT_EQ(points.before(0), 0u);
  EXPECT_EQ(points.before(1), 1u);
  EXPECT_EQ(points.before(3), 2u);
  EXPECT_EQ(points.before(6), 3u);
  EXPECT_EQ(points.before(10), 4u);
  EXPECT_EQ(points.before(11), 5u);
}

TEST(OffsetUnits, EqualACountFromTheBeginningInLongTexts) {
  for (const size_t characters : {20u, 21u, 22u, 63u, 64u, 65u, 200u}) {
    std::string text;
    for (size_t i = 0; i < characters; ++i) text += i % 3 == 0 ? "x" : "\u5317";
    const OffsetUnits points(text, OffsetUnit::kCodePoints);
    for (size_t at = 0; at <= text.size(); ++at) {
      EXPECT_EQ(points.before(at), count_characters(std::string_view(text).substr(0, at))) << text.size() << " " << at;
    }
  }
}

// The characters of "é 😀a" have two, one, four and one byte.
TEST(OffsetUnits, CountBytesCodePointsAndUtf16) {
  const std::string text = "\u00e9 \U0001F600a";
  EXPECT_EQ(OffsetUnits(text, OffsetUnit::kBytes).before(7), 7u);
  EXPECT_EQ(OffsetUnits(text, OffsetUnit::kCodePoints).before(7), 3u);
  EXPECT_EQ(OffsetUnits(text, OffsetUnit::kUtf16).before(7), 4u);
  EXPECT_EQ(OffsetUnits(text, OffsetUnit::kUtf16).before(text.size()), 5u);
  EXPECT_EQ(name(OffsetUnit::kUtf16), "utf16");
}

TEST(OffsetUnits, OfALongTextAreThoseOfItsParts) {
  std::string text;
  std::vector<std::pair<size_t, size_t>> expected;  // bytes, UTF-16 units
  size_t units = 0;
  for (size_t i = 0; i < 100; ++i) {
    for (const auto& [part, length] : {std::pair("a", 1u), {"\u00e9", 1u}, {"\u6771", 1u}, {"\U0001F600", 2u}}) {
      expected.emplace_back(text.size(), units);
      text += part;
      units += length;
    }
  }
  const OffsetUnits utf16(text, OffsetUnit::kUtf16);
  for (const auto& [byte, before] : expected) ASSERT_EQ(utf16.before(byte), before) << byte;
  EXPECT_EQ(utf16.before(text.size()), units);
}

}  // namespace
}  // namespace bert
