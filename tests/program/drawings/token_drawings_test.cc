#include "program/drawings/token_drawings.h"

#include <gtest/gtest.h>

namespace bert::drawings {
namespace {

size_t count_of(const std::string& what, const std::string& text) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

TEST(SumDrawing, HasABoxForEachVectorOfEachTokenInBothForms) {
  SumDrawing sum{.tokens = {}, .ids = {}, .segments = {}};
  for (int32_t i = 0; i < 20; ++i) {
    sum.tokens.push_back("word");
    sum.ids.push_back(10000 + i);
    sum.segments.push_back(i < 12 ? 0 : 1);
  }
  const Picture picture = draw_sum(sum);
  for (const std::string& svg : {picture.wide, picture.narrow}) {
    for (const char* ink : {"blue", "orange", "green", "grey"}) {
      EXPECT_EQ(count_of("<rect class=\"" + std::string(ink) + "\"", svg), 20u) << ink;
    }
    for (const int32_t id : sum.ids) EXPECT_EQ(count_of(">" + std::to_string(id) + "</text>", svg), 1u) << id;
    EXPECT_EQ(count_of(">A</text>", svg), 12u);
    EXPECT_EQ(count_of(">B</text>", svg), 8u);
    EXPECT_EQ(count_of(">19</text>", svg), 1u);  // the last position
    EXPECT_EQ(count_of(">+</text>", svg), 2u * 20);
    EXPECT_EQ(count_of(">=</text>", svg), 20u);
  }
}

TEST(SumDrawing, LeavesOutWhatAModelDoesNotAdd) {
  const std::string svg = draw_sum({.tokens = {"a"}, .ids = {7}, .has_positions = false, .segments = {}}).wide;
  EXPECT_EQ(count_of(">position</text>", svg), 0u);
  EXPECT_EQ(count_of(">segment</text>", svg), 0u);
  EXPECT_EQ(count_of(">=</text>", svg), 1u);
}

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
