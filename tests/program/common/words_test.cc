#include "program/common/words.h"

#include <gtest/gtest.h>

namespace bert::common {
namespace {

TEST(Words, AreInLowerCaseForAsciiLettersAlone) {
  EXPECT_EQ(lower_case("Content-Length @[`{"), "content-length @[`{");
  EXPECT_EQ(lower_case("\xC3\x84"), "\xC3\x84");  // Ä
  EXPECT_EQ(lower_case(""), "");
}

TEST(Words, AreTrimmedAtBothEnds) {
  EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \t "), "");
  EXPECT_EQ(trimmed("a"), "a");
}

}  // namespace
}  // namespace bert::common
