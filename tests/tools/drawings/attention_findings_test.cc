#include <gtest/gtest.h>

#include "tools/drawings/findings.h"

namespace bert::drawings {
namespace {

// Two heads of one layer, two tokens, by hand.
TEST(AttentionFindings, NameTheHeadsThatAttendMost) {
  AttentionSummary attention;
  attention.heads = attention.tokens = 2;
  attention.summaries = {{.entropy_bits = 0, .self = 1},
                         {.entropy_bits = 1, .self = 0.5, .previous = 0.25, .next = 0.25, .special = 0.75}};
  attention.weights = {1, 0, 0, 1, 0.5f, 0.5f, 0.5f, 0.5f};
  attention.max_entropy_bits = 1;
  const auto findings = attention_findings(attention, {"a", "b"}, {});
  EXPECT_EQ(findings->title(), "Attention heads");
  EXPECT_EQ(findings->answer(),
            "Of all heads, layer 1 head 2 attends most to the previous token (25 %), layer 1 head 2 to the next one "
            "(25 %), layer 1 head 1 to the token itself (100 %) and layer 1 head 2 to special tokens (75 %).");
  EXPECT_NE(findings->text({}).find("the highest 1.00 (layer 1 head 2)"), std::string::npos);
  Page page("", "");
  findings->add_to(page);
  EXPECT_NE(page.html().find("Head 1: 0.00 bits, largest weight 1.00"), std::string::npos);
}

}  // namespace
}  // namespace bert::drawings
