#include <gtest/gtest.h>

#include "program/drawings/findings/findings.h"

namespace bert::drawings {
namespace {

// The expected sentences are found by hand for two tokens and one layer.
TEST(SegmentFindings, SayHowFarTheTokensMove) {
  SegmentComparison comparison;
  comparison.norm_a = 1;
  comparison.norm_b = 2;
  comparison.cosine = 0.5;
  comparison.word_norm = 4;
  comparison.swapped = {.type_ids = {1, 0}, .moved = {0.25, 0.35}, .moved_by_layer = {0.4, 0.3}, .embedding_cosine = 1};
  comparison.all_a = {.type_ids = {0, 0}, .moved = {0, 0.2}, .moved_by_layer = {0.2, 0.1}, .embedding_cosine = 0.9};
  comparison.all_b = {.type_ids = {1, 1}, .moved = {0.4, 0}, .moved_by_layer = {0.3, 0.2}, .embedding_cosine = 0.8};
  const auto findings = segment_findings(comparison, {"dog", "fox"}, {0, 1});
  EXPECT_EQ(findings->answer(),
            "With the segments of two sentences swapped, the last layer's vectors move by 30 % of their norm on "
            "average; the cosine of the two segment vectors is 0.500.");
  const std::string text = findings->text({});
  for (const char* part :
       {"The segment vectors have norms 1.000 (A) and 2.000 (B); their cosine is 0.500.",
        "0  dog    A          0.250  0.000  0.400", "1  fox    B          0.350  0.200  0.000",
        "move by 30 % of their norm (swapped), 10 % (all A) and 20 % (all B)", "is 1.000, 0.900 and 0.800."}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  }
  Page page("", "");
  findings->add_to(page);
  for (const char* part : {">dog A</text>", ">fox B</text>", ">0.35</text>", ">all A</text>"}) {
    EXPECT_NE(page.html().find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace bert::drawings
