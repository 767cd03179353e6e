#include <gtest/gtest.h>

#include "program/drawings/findings/findings.h"

namespace bert::drawings {
namespace {

// Returns a comparison made by hand for one layer and two tokens.
OrderComparison comparison() {
  OrderComparison made;
  for (const Reordering reordering : {Reordering::kReversed, Reordering::kNeighboursSwapped, Reordering::kShuffled}) {
    OrderEffect effect;
    effect.reordering = reordering;
    effect.order = {1, 0};
    effect.moved = {0.5, 0.25};
    effect.moved_by_layer = {0.1, 0.375};
    effect.moved_by_layer_without = {0, 0};
    effect.largest_difference_in_one_key_order = 0;
    made.effects.push_back(effect);
  }
  made.moved_by_layer = {0.1, 0.375};
  made.moved_by_layer_without = {0, 0};
  return made;
}

TEST(OrderFindings, SayHowFarAnotherOrderMovesTheTokens) {
  OrderComparison orders = comparison();
  const auto findings = order_findings(orders, {"a", "b"});
  EXPECT_EQ(findings->answer(),
            "Another order moves the tokens by 38 % of their norm on average; without positions, only rounding would "
            "differ.");
  EXPECT_NE(findings->text({}).find("without positions, self-attention sees a bag of words."), std::string::npos);
  EXPECT_NE(findings->text({}).find("  b a\n"), std::string::npos) << findings->text({});
  Page page("", "");
  findings->add_to(page);
  EXPECT_NE(page.html().find("neighbours swapped"), std::string::npos);
  EXPECT_EQ(order_name(orders, 0), "reversed");
  EXPECT_EQ(order_name(orders, 2), "shuffled 1");
  orders.window = 3;
  EXPECT_NE(findings->answer().find("only the windows distinguish orders"), std::string::npos);
}

}  // namespace
}  // namespace bert::drawings
