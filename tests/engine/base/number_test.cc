#include "engine/base/number.h"

#include <gtest/gtest.h>

#include <limits>

namespace bert {
namespace {

TEST(Number, RoundsToTheNearestDouble) {
  EXPECT_EQ(parse_double("0.1"), 0.1);
  EXPECT_EQ(parse_double("-12"), -12.0);
  EXPECT_EQ(parse_double("1e22"), 1e22);
  // A number halfway between two doubles is rounded to the even one; one digit more makes it the other.
  EXPECT_EQ(parse_double("9007199254740993"), 9007199254740992.0);
  EXPECT_EQ(parse_double("9007199254740993.00001"), 9007199254740994.0);
  EXPECT_EQ(parse_double("5e-324"), std::numeric_limits<double>::denorm_min());
}

TEST(Number, RefusesWhatIsNoWholeFiniteNumber) {
  for (const char* text : {"", "1x", " 1", "1 ", "x", "1e400", "-1e400", "1e-400", "NaN", "Infinity", "1.0\n"}) {
    EXPECT_EQ(parse_double(text), std::nullopt) << text;
  }
}

TEST(Number, ShortestTextMeansTheNumber) {
  EXPECT_EQ(shortest_text(0.1), "0.1");
  EXPECT_EQ(shortest_text(-3), "-3");
  EXPECT_EQ(parse_double(shortest_text(1.0 / 3)), 1.0 / 3);
}

}  // namespace
}  // namespace bert
