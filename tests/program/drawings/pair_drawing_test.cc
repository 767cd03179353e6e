#include "program/drawings/pair_drawing.h"

#include <gtest/gtest.h>

namespace bert::drawings {
namespace {

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(PairDrawing, HasALineForEachLargePair) {
  const std::string svg =
      draw_pairs({.title = "pairs", .left = {"a", "<b>"}, .right = {"c", "d"}, .values = {0.4, -0.2, 0.05, 0}});
  EXPECT_EQ(count(svg, "class=\"pen blue\""), 1u) << "0.05 is a share of an eighth";
  EXPECT_EQ(count(svg, "class=\"pen orange\""), 1u);
  EXPECT_NE(svg.find("stroke-width=\"14\""), std::string::npos);
  EXPECT_NE(svg.find("stroke-width=\"7\""), std::string::npos) << "half of the largest";
  for (const char* text : {">a</text>", ">&lt;b&gt;</text>", ">0.200</text>", ">0.450</text>", ">-0.200</text>"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
}

TEST(PairDrawing, HasNoLineWhereAllIsZero) {
  const std::string svg = draw_pairs({.title = "pairs", .left = {"a"}, .right = {"b"}, .values = {0}});
  EXPECT_EQ(count(svg, "<path"), 0u);
  EXPECT_NE(svg.find(">a</text>"), std::string::npos);
}

}  // namespace
}  // namespace bert::drawings
