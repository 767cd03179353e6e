#include <gtest/gtest.h>

#include <optional>

#include "program/drawings/findings/findings.h"

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
            "layer; word and position together leave 0 % and 40 % unexplained.");
  // The vectors of the embeddings do not depend on the context, so their rest is not said to come from it.
  EXPECT_NE(findings->text({}).find("Neither explains the rest, 0 % and 40 %: after the embeddings it contains the "
                                    "influence of the context."),
            std::string::npos)
      << findings->text({});
  EXPECT_NE(findings->text({}).find("(at most 25 %, in layer 0)"), std::string::npos);
  EXPECT_EQ(described_texts(shares), "1,234 tokens of 2 texts, 56 words, special tokens left out");
  Page page("", "");
  findings->add_to(page);
  EXPECT_NE(page.html().find("Explained variance by layer"), std::string::npos);
  EXPECT_EQ(confounded_layer(shares), std::nullopt);
}

// In layer 1, the word also explains 0.7 + 0.9 - 0.95 = 65 of the 70 percent that position explains.
TEST(VarianceFindings, SayWherePositionAndWordAreConfounded) {
  VarianceShares shares;
  shares.position = {0.1, 0.7};
  shares.word = {0.8, 0.9};
  shares.both = {0.89, 0.95};
  shares.neither = {0.11, 0.05};
  EXPECT_NEAR(shared_share(shares, 1), 0.65, 1e-12);
  EXPECT_EQ(confounded_layer(shares), 1u);
  const auto findings = variance_findings(shares);
  const std::string sentence =
      "But position and word are confounded in these texts: in layer 1 position alone explains 70 %, the words alone "
      "90 %, and both together 95 %.";
  EXPECT_NE(findings->answer().find(sentence), std::string::npos) << findings->answer();
  EXPECT_NE(findings->text({}).find(sentence), std::string::npos);
}

}  // namespace
}  // namespace bert::drawings
