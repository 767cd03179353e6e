#include "engine/base/joined.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bert {
namespace {

TEST(Joined, HasTheSeparatorBetweenItemsAlone) {
  EXPECT_EQ(joined(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(joined(std::vector<std::string>{"a"}, ", "), "a");
  EXPECT_EQ(joined(std::vector<std::string>{"a", "", "c"}, ", "), "a, , c");
  EXPECT_EQ(joined(std::vector<std::string>{"", "b"}, "+"), "+b");
}

TEST(Joined, HasTheTextOfEachItem) {
  EXPECT_EQ(joined(std::vector<int>{1, 2}, " and ", [](int value) { return std::to_string(value); }), "1 and 2");
}

}  // namespace
}  // namespace bert
