#include "program/common/terminal_text.h"

#include <gtest/gtest.h>

#include <clocale>

namespace bert::common {
namespace {

class TerminalText : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::setlocale(LC_CTYPE, "C.UTF-8") == nullptr) GTEST_SKIP() << "SKIPPED, no locale C.UTF-8";
  }
  void TearDown() override { std::setlocale(LC_CTYPE, "C"); }
};

TEST_F(TerminalText, EscapesControlsAndBytesThatAreNotUtf8) {
  EXPECT_EQ(one_line("a\nb\x1b[31m"), "a\\x0ab\\x1b[31m");
  EXPECT_EQ(one_line("\u00E9\xFF"), "\u00E9\\xff");
  EXPECT_EQ(one_line("a\u202Eb"), "a\\xe2\\x80\\xaeb");  // U+202E overrides the direction of the text after it
  EXPECT_EQ(in_quotes("a\tb"), "'a\\x09b'");
}

TEST_F(TerminalText, CountsColumns) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("\u4E2D\u6587"), 4u);  // wide
  EXPECT_EQ(display_width("e\u0301"), 1u);       // combining
}

TEST_F(TerminalText, ShortensInTheMiddleBetweenCharacters) {
  EXPECT_EQ(shortened("short"), "short");
  const std::string text = std::string(299, 'a') + "\u00E9" + std::string(1000, 'b');  // byte 300 is inside é
  EXPECT_EQ(shortened(text), std::string(299, 'a') + " \u2026 " + std::string(200, 'b'));
}

}  // namespace
}  // namespace bert::common
