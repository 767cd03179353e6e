#include "tools/drawings/model_report.h"

#include <gtest/gtest.h>

namespace bert::drawings {
namespace {

TEST(ModelReport, AsksQuestionsInTheOrderOfTheirFindings) {
  VarianceShares shares;
  shares.position = shares.word = shares.both = shares.neither = {0.5};
  ModelReport report;
  EXPECT_EQ(report.answer(), "");
  report.add_positions(std::make_shared<PositionFindings>(Model::builtin()));
  report.add_variance(variance_findings(shares), "two texts");
  ASSERT_EQ(report.chapters().size(), 2u);
  EXPECT_EQ(report.answer(), report.chapters()[0].answer);
  const std::string text = report.text({});
  EXPECT_TRUE(text.starts_with("How do the learned positions compare with sinusoidal ones?\n")) << text;
  EXPECT_NE(text.find("\n\nDo later layers still have the position?\nPosition explains 50 %"), std::string::npos)
      << text;
  Page page("", "");
  report.add_to(page);
  EXPECT_NE(page.html().find("Measured on two texts."), std::string::npos);
}

}  // namespace
}  // namespace bert::drawings
