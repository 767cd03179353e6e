#include "tools/common/offset_unit.h"

#include <gtest/gtest.h>

#include <string>

namespace bert::test {
namespace {

using common::OffsetUnit;
using common::OffsetUnits;

TEST(OffsetUnits, CountBytesCodePointsAndUtf16) {
  const std::string text = "é 😀a";
  EXPECT_EQ(OffsetUnits(text, OffsetUnit::kBytes).before(7), 7u);
  EXPECT_EQ(OffsetUnits(text, OffsetUnit::kCodePoints).before(7), 3u);
  EXPECT_EQ(OffsetUnits(text, OffsetUnit::kUtf16).before(7), 4u);
  EXPECT_EQ(OffsetUnits(text, OffsetUnit::kUtf16).before(text.size()), 5u);
  EXPECT_EQ(OffsetUnits("", OffsetUnit::kUtf16).before(0), 0u);
}

TEST(OffsetUnits, OfALongTextAreThoseOfItsParts) {
  std::string text;
  size_t units = 0, code_points = 0;
  for (size_t i = 0; i < 300; ++i) {
    for (const auto& [part, length] : {std::pair("a", 1), {"é", 1}, {"東", 1}, {"😀", 2}}) {
      EXPECT_EQ(OffsetUnits(text, OffsetUnit::kUtf16).before(text.size()), units);
      EXPECT_EQ(OffsetUnits(text, OffsetUnit::kCodePoints).before(text.size()), code_points);
      text += part;
      units += static_cast<size_t>(length);
      ++code_points;
    }
  }
}

}  // namespace
}  // namespace bert::test
