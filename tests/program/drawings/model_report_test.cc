#include "program/drawings/model_report.h"

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

// Each answer occurs once and links to its chapter. The tables are folded.
TEST(ModelReport, LeadsWithItsAnswers) {
  VarianceShares shares;
  shares.position = shares.word = shares.both = shares.neither = {0.5};
  ModelReport report;
  report.add_variance(variance_findings(shares), "two texts");
  Page page("", "");
  report.add_to(page);
  const std::string html = page.html();
  const size_t link = html.find("<a href=\"#question-1\">Do later layers still have the position?</a>");
  const size_t answer = html.find("Position explains 50 %"), chapter = html.find("<h2 id=\"question-1\">");
  ASSERT_NE(chapter, std::string::npos);
  EXPECT_LT(link, answer);
  EXPECT_LT(answer, chapter);
  EXPECT_EQ(html.find("Position explains 50 %", answer + 1), std::string::npos);
  EXPECT_LT(html.find("<svg", chapter), html.find("<details>"));
  EXPECT_LT(html.find("<details>"), html.find("<table>"));
}

// The expected ids of [CLS], a, dog and [SEP] are those of the built-in vocabulary.
TEST(ModelReport, ListsTheTokensWithTheirIdsAndNearestWords) {
  const Model model = Model::builtin();
  ModelReport report;
  report.add_tokens(model, model.tokenizer().tokenize("a dog"));
  ASSERT_EQ(report.tokens().size(), 4u);
  EXPECT_EQ(report.parameters(), 3840002u);  // as in docs/BUILTIN_MODEL.md
  EXPECT_TRUE(report.tokens()[0].nearest.empty());
  EXPECT_EQ(report.tokens()[2].id, 1347);
  ASSERT_EQ(report.tokens()[2].nearest.size(), 3u);
  const int32_t nearest = nearest_words(model, 1347, 1).front().id;
  EXPECT_EQ(report.tokens()[2].nearest.front(), model.tokenizer().token(nearest));
  EXPECT_NE(report.text({}).find("4 tokens, 3,840,002 parameters."), std::string::npos);
}

}  // namespace
}  // namespace bert::drawings
