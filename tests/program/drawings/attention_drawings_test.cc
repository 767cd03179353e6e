#include "program/drawings/attention_drawings.h"

#include <gtest/gtest.h>

namespace bert::drawings {
namespace {

// The attention of two heads of one layer to two tokens, made by hand.
const std::vector<std::string> kTokens = {"a", "b"};
const std::vector<float> kOne = {0.5f, 0.5f, 0.9f, 0.1f}, kOther = {0.25f, 0.75f, 0.5f, 0.5f};

size_t count_of(const std::string& what, const std::string& text) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

// Returns the mask of a drawing, which has the weights' shades.
std::string mask_of(const std::string& svg) {
  const size_t begin = svg.find("href=\"data:");
  return svg.substr(begin, svg.find('"', begin + 6) - begin);
}

TEST(AttentionDrawings, HaveTheShadeOfTheWeightAlone) {
  const std::vector<float> half = {0.25f, 0.25f, 0.45f, 0.05f};
  const std::string drawing = draw_attention_head({"", "", kOne}, kTokens, 1);
  EXPECT_NE(mask_of(drawing), mask_of(draw_attention_head({"", "", half}, kTokens, 1)));
  EXPECT_EQ(mask_of(drawing), mask_of(draw_attention_head({"", "", half}, kTokens, 0.5)));
}

TEST(AttentionDrawings, HaveArcsFromTheNamedWeightOn) {
  const std::string drawing = draw_attention_head({"", "", kOne}, kTokens, 1);
  EXPECT_EQ(count_of("class=\"pen green\"", drawing), 1u);   // 0.5 to itself, not 0.1
  EXPECT_EQ(count_of("class=\"pen blue\"", drawing), 1u);    // 0.5 to the later token
  EXPECT_EQ(count_of("class=\"pen orange\"", drawing), 1u);  // 0.9 to the earlier one
}

TEST(AttentionDrawings, NameBothAxesAndTheWeightOfEachCell) {
  const std::string drawing = draw_attention_head({"", "", kOne}, kTokens, 1);
  for (const char* text : {">query<", ">key<", "<title>a → b: 0.500</title>", "<title>b → a: 0.900</title>"}) {
    EXPECT_NE(drawing.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(count_of(">a</text>", drawing), 2u);
  EXPECT_EQ(count_of("<title>", drawing), 4u);
  const std::vector<float> one_small = {0.996f, 0.004f, 0.5f, 0.5f};
  EXPECT_EQ(count_of("<title>", draw_attention_head({"", "", one_small}, kTokens, 1)), 3u);
}

TEST(AttentionDrawings, PrintWhatEachQueryGivesToTokensThatAreNotDrawn) {
  const std::string drawing = draw_attention_head({"", "", kOne, {0.375, 0.02}}, {"100 a", "257 unbreakable"}, 1);
  for (const char* text : {">not shown</text>", ">38 %</text>", ">2 %</text>", ">257 unbreakable</text>"}) {
    EXPECT_NE(drawing.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(draw_attention_head({"", "", kOne}, kTokens, 1).find("not shown"), std::string::npos);
}

TEST(AttentionDrawings, LinkEachHeadOfTheOverview) {
  const std::string drawing =
      draw_attention_overview({{"first", "one", kOne}, {"second", "two", kOther}}, 2, kTokens, 1).wide;
  EXPECT_NE(drawing.find("<a href=\"#one\"><title>first</title>"), std::string::npos);
  EXPECT_NE(drawing.find("<a href=\"#two\"><title>second</title>"), std::string::npos);
  EXPECT_EQ(count_of("</a>", drawing), 2u);
}

TEST(AttentionDrawings, HaveAScaleUpToTheFullColour) {
  EXPECT_NE(draw_attention_scale(0.585).find(">0.585</text>"), std::string::npos);
}

}  // namespace
}  // namespace bert::drawings
