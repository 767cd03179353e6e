#include "engine/base/natural_order.h"

#include <gtest/gtest.h>

#include <string>

namespace bert {
namespace {

std::vector<std::string> ordered(std::vector<std::string> names) {
  to_natural_order(names, [](const std::string& name) -> const std::string& { return name; });
  return names;
}

using Names = std::vector<std::string>;

TEST(NaturalOrder, PutsLayersInNumericOrder) {
  EXPECT_EQ(ordered({"layer.0.b", "layer.1.b", "layer.10.a", "layer.10.b", "layer.2.b", "layer.2.a"}),
            Names({"layer.0.b", "layer.1.b", "layer.2.b", "layer.2.a", "layer.10.a", "layer.10.b"}));
  EXPECT_EQ(ordered({"x100000000000000000000", "x99999999999999999999", "x007"}),  // more than 64 bits
            Names({"x007", "x99999999999999999999", "x100000000000000000000"}));
}

TEST(NaturalOrder, LeavesOthersInTheirPlaces) {
  EXPECT_EQ(ordered({"word", "layer.10", "pooler", "head.1", "layer.2", "cls"}),
            Names({"word", "layer.2", "pooler", "head.1", "layer.10", "cls"}));
  EXPECT_EQ(ordered({}), Names());
}

}  // namespace
}  // namespace bert
