// Tests the sentences about two layers and one mask, whose numbers are calculated by hand.
#include <gtest/gtest.h>

#include "program/drawings/findings/findings.h"

namespace bert::drawings {
namespace {

TEST(LensFindings, ListTheWordsOfEveryLayer) {
  LayerWords words;
  const auto word = [](const char* token, int32_t id, double score) {
    return MaskCandidate{.token = token, .id = id, .score = score, .sequence = ""};
  };
  words.words = {{{word("the", 1, 0.5), word("dog", 2, 0.25)}},
                 {{word("dog", 2, 0.5), word("cat", 3, 0.25)}},
                 {{word("dog", 2, 0.75), word("the", 1, 0.125)}}};
  words.last_word = {{0.25, 0.5, 0.75}};
  const auto findings = lens_findings(words);
  EXPECT_EQ(findings->answer(), "The best word is “dog” from layer 1 on.");
  const std::string text = findings->text({});
  for (const char* part : {"   1      0  the   0.5000  dog  0.2500", "   1      2  dog   0.7500  the  0.1250"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  }
  Page page("", "");
  findings->add_to(page);
  for (const char* part : {">cat</text>", ">0.125</text>", "The best words"}) {
    EXPECT_NE(page.html().find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace bert::drawings
