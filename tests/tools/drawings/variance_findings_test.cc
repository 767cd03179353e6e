#include <gtest/gtest.h>

#include "tools/drawings/findings.h"

namespace bert::drawings {
namespace {

TEST(VarianceFindings, SayWhatPositionAndContextExplain) {
  VarianceShares shares;
  shares.texts = 2;
  shares.tokens = 1234;
  shares.words = 56;
  shares.position = {0.25, 0.125};
  shares.word = {0.75, 0.5};
  shares.both = {1, 0.6};
  shares.neither = {0, 0.4};
  const auto findings = variance_findings(shares);
  EXPECT_EQ(findings->answer(),
            "Position explains 25 % of the variance of the token vectors in the embeddings and 12 % after the last "
            "layer; the context explains 0 % and 40 %.");
  EXPECT_NE(findings->text({}).find("(at most 25 %, in layer 0)"), std::string::npos);
  EXPECT_EQ(described_texts(shares), "1,234 tokens of 2 texts, 56 words, special tokens left out");
  Page page("", "");
  findings->add_to(page);
  EXPECT_NE(page.html().find("Explained variance by layer"), std::string::npos);
}

}  // namespace
}  // namespace bert::drawings
