// Tests the sentences about explanations of a few numbers, which are made by hand.
#include <gtest/gtest.h>

#include "program/drawings/findings/findings.h"

namespace bert::drawings {
namespace {

ExplainedText words_of(const std::vector<std::string>& words) {
  ExplainedText text;
  for (const std::string& word : words) text.words.push_back({.text = word});
  return text;
}

// Returns a text whose score is a sum over tokens.
ExplainedText text_of(const std::vector<std::string>& words) {
  ExplainedText text = words_of(words);
  for (const std::string& word : words) {
    text.rows.push_back(word);
    text.group_of_row.push_back(text.groups.size());
    text.groups.push_back(word);
  }
  return text;
}

void expect_parts(const Findings& findings, std::initializer_list<const char*> of_text,
                  std::initializer_list<const char*> of_page) {
  const std::string text = findings.text({});
  for (const char* part : of_text) EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_NE(text.back(), '\n');
  Page page("", "");
  findings.add_to(page);
  for (const char* part : of_page) EXPECT_NE(page.html().find(part), std::string::npos) << part;
}

TEST(ScoreFindings, ListThePairsOfWordsByTheirTerms) {
  ScoreExplanation why;
  why.function = "cosine";
  why.score = 0.6;
  why.a = text_of({"dog", "fox"});
  why.b = text_of({"cat"});
  why.pairs = {0.2, 0.4};
  const auto findings = score_findings(why);
  EXPECT_EQ(findings->answer(), "The cosine is 0.600, of which 0.400 are of “fox” and “cat”.");
  expect_parts(*findings,
               {"The cosine is 0.600000, the sum of 2 terms", "fox    cat     0.4000\ndog    cat     0.2000"},
               {"shares below 20 % have no line", ">fox</text>", ">0.400</text>", "<td>dog</td>"});
}

TEST(ScoreFindings, SumTheTokensOfAWord) {
  ScoreExplanation why;
  why.function = "cosine";
  why.score = 0.5;
  why.a = text_of({"foxes"});
  why.a.rows = {"fox", "##es"};
  why.a.group_of_row = {0, 0};
  why.b = text_of({"cat"});
  why.pairs = {0.6, -0.1};
  expect_parts(*score_findings(why), {"foxes  cat     0.5000"}, {"By token", ">##es</text>", ">-0.100</text>"});
}

TEST(ScoreFindings, SayThatATextHasNoVectors) {
  ScoreExplanation why;
  why.kind = ExplanationKind::kMatches;
  why.function = "maxsim";
  why.a = text_of({"dog"});
  EXPECT_EQ(score_findings(why)->answer(), "The maxsim is 0.000: a text has no vectors.");
  expect_parts(*score_findings(why), {"The maxsim is 0.000000"}, {"Which words"});
}

TEST(ScoreFindings, ListTheEntries) {
  ScoreExplanation why;
  why.kind = ExplanationKind::kEntries;
  why.function = "dot";
  why.score = 7;
  for (int32_t i = 0; i < 25; ++i) {
    why.entries.push_back(
        {.id = i, .token = "e" + std::to_string(i), .weight_a = 1, .weight_b = 2, .term = i == 0 ? 5.0 : 0.08});
  }
  const auto findings = score_findings(why);
  EXPECT_EQ(findings->answer(), "The dot is 7.000, of which 5.000 are of “e0”.");
  expect_parts(*findings, {"the sum of 25 terms", "e0", "5 other entries"}, {">e24</text>", ">5.0000</text>"});
  why.entries.clear();
  EXPECT_EQ(score_findings(why)->answer(), "The dot is 7.000: the texts have no entry of the vocabulary in common.");
}

TEST(ScoreFindings, ListTheWordsLeftOut) {
  ScoreExplanation why;
  why.kind = ExplanationKind::kWordsLeftOut;
  why.function = "cosine";
  why.not_additive = "pooling cls reads one token";
  why.score = 0.5;
  why.remainder = 0.35;
  why.a = words_of({"dog"});
  why.a.without = {0.3};
  why.b = words_of({"cat"});
  why.b.without = {0.55};
  const auto findings = score_findings(why);
  EXPECT_EQ(findings->answer(), "The cosine is 0.500; without “dog” it is 0.300.");
  expect_parts(*findings,
               {"because pooling cls reads one token", "first   dog       0.3000   0.2000",
                "second  cat       0.5500  -0.0500", "is 0.3500: what words do together"},
               {">dog</text>", ">-0.0500</text>", "the score is higher without it"});
}

TEST(LabelFindings, ListTheWordsOfTheBestLabels) {
  LabelExplanation why;
  why.text = words_of({"good", "film"});
  why.text.pair = "x";
  why.text.words[1].sequence = 1;
  why.labels = {"no", "yes", "maybe"};
  why.scores = {0.1, 0.7, 0.2};
  why.without = {0.4, 0.3, 0.3, 0.1, 0.75, 0.15};
  why.remainders = {0.4, 0.35, 0.25};
  const auto findings = label_findings(why, 2);
  EXPECT_EQ(findings->answer(), "yes has the score 0.700; without “good A” it is 0.300.");
  expect_parts(*findings,
               {"word           yes    maybe", "good A      0.4000  -0.1000", "film B     -0.0500   0.0500",
                "remainder   0.3500   0.2500", "score       0.7000   0.2000"},
               {"yes: 0.7000", "maybe: 0.2000", ">good A</text>", "The remainder is 0.3500."});
  EXPECT_EQ(findings->text({}).find("no  "), std::string::npos);
}

}  // namespace
}  // namespace bert::drawings
