#include <gtest/gtest.h>

#include "program/drawings/findings/findings.h"
#include "tests/support/expect_error.h"

namespace bert::drawings {
namespace {

// The expected sentences are found by hand for two heads of one layer and two tokens.
TEST(AttentionFindings, NameTheHeadsThatAttendMost) {
  AttentionSummary attention;
  attention.heads = attention.tokens = 2;
  attention.queries = {0, 1};
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
  EXPECT_NE(page.html().find("<figcaption>layer 1 head 1: itself 100\u00A0%"), std::string::npos);
  EXPECT_NE(page.html().find("<figcaption>layer 1 head 2: previous 25\u00A0% and next 25\u00A0%"), std::string::npos);
}

TEST(AttentionFindings, AreOfAtMost64TokensOfTheText) {
  const auto refusal = [](const std::vector<size_t>& rows) {
    return test::error_of(ErrorCode::kInvalidArgument, [&] { check_rows(rows, 66, "--rows"); });
  };
  std::vector<size_t> rows(64, 0);
  check_rows(rows, 66, "--rows");
  check_rows({}, 66, "--rows");
  rows.push_back(0);
  EXPECT_EQ(refusal(rows), "--rows: found 65 tokens, expected at most 64");
  EXPECT_EQ(refusal({3, 66}), "--rows: found token 66, expected tokens from 0 to 65: the text has 66");
}

// The expected sentences are found by hand for one head and three tokens, of which the first and the last are chosen.
TEST(AttentionFindings, OfSomeTokensSayWhatIsNotShown) {
  AttentionSummary attention;
  attention.heads = 1;
  attention.tokens = 3;
  attention.queries = {0, 2};
  attention.summaries = {{.entropy_bits = 1}};
  attention.weights = {0.25f, 0.5f, 0.25f, 0, 0.25f, 0.75f};
  attention.max_entropy_bits = 1.58;
  const auto findings = attention_findings(attention, {"a", "b", "c"}, {});
  Page page("", "");
  findings->add_to(page);
  const std::string html = page.html();
  for (const char* text :
       {"The whole text of 3 tokens was computed.", "its tokens 0 and 2, counted from 0",
        "38 % goes to the other token", "1.00 bits, largest weight 0.75, 38 % not shown",
        "<title>0 a → 0 a: 0.250</title>", "<title>2 c → 2 c: 0.750</title>", ">50 %</text>", ">25 %</text>",
        ">not shown</text>", "The queries are tokens 0 and 2, the keys all 3 tokens. Entropy is"}) {
    EXPECT_NE(html.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(html.find("1 b"), std::string::npos);
}

}  // namespace
}  // namespace bert::drawings
