#include "program/common/markup.h"

#include <gtest/gtest.h>

namespace bert::common {
namespace {

TEST(Markup, EscapesWhatHtmlReads) {
  EXPECT_EQ(escaped("a < b & \"c\" > 'd'"), "a &lt; b &amp; &quot;c&quot; &gt; 'd'");
  EXPECT_EQ(escaped(""), "");
}

}  // namespace
}  // namespace bert::common
