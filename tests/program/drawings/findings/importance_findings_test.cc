// Tests the sentences about two layers of two heads, whose numbers are calculated by hand.
#include <gtest/gtest.h>

#include "program/drawings/findings/findings.h"

namespace bert::drawings {
namespace {

TEST(ImportanceFindings, NameTheHeadOfTheLargestLoss) {
  HeadImportance importance;
  importance.answer = "the score of 'yes'";
  importance.whole = 0.9;
  importance.heads = 2;
  importance.loss = {0.1, -0.05, 0.3, 0};
  const auto findings = importance_findings(importance, Ablation::kMean);
  EXPECT_EQ(findings->answer(),
            "Without the outputs of head 1.0 the score of 'yes' falls the most, from 0.9000 to 0.6000.");
  const std::string text = findings->text({});
  for (const char* part :
       {"    0  0.1000  -0.0500\n    1  0.3000   0.0000", "with their mean over the tokens in place"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  }
  Page page("", "");
  findings->add_to(page);
  EXPECT_NE(page.html().find(">0.3000</text>"), std::string::npos);
}

}  // namespace
}  // namespace bert::drawings
