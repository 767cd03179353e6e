// Byte positions as code points, against a count by hand and against one of every byte.
#include "engine/base/code_points.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/base/utf8.h"

namespace bert {
namespace {

TEST(CodePoints, AreBytesInAscii) {
  const CodePoints points("a dog");
  EXPECT_EQ(points.before(0), 0u);
  EXPECT_EQ(points.before(5), 5u);
  EXPECT_EQ(CodePoints("").before(0), 0u);
}

// One, two, three and four bytes: a, é, 北, 😀.
TEST(CodePoints, CountCharactersOfEveryLength) {
  const CodePoints points("a\u00e9\u5317\U0001F600b");
  EXPECT_EQ(points.before(0), 0u);
  EXPECT_EQ(points.before(1), 1u);
  EXPECT_EQ(points.before(3), 2u);
  EXPECT_EQ(points.before(6), 3u);
  EXPECT_EQ(points.before(10), 4u);
  EXPECT_EQ(points.before(11), 5u);
}

TEST(CodePoints, EqualACountFromTheBeginningInLongTexts) {
  for (const size_t characters : {20u, 21u, 22u, 63u, 64u, 65u, 200u}) {
    std::string text;
    for (size_t i = 0; i < characters; ++i) text += i % 3 == 0 ? "x" : "\u5317";
    const CodePoints points(text);
    for (size_t at = 0; at <= text.size(); ++at) {
      EXPECT_EQ(points.before(at), count_characters(std::string_view(text).substr(0, at))) << text.size() << " " << at;
    }
  }
}

}  // namespace
}  // namespace bert
