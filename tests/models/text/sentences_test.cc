#include "models/text/sentences.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace bert {
namespace {

std::vector<std::string> sentences(std::string_view text) {
  std::vector<std::string> found;
  for (const Offset& one : sentences_of(text)) found.emplace_back(text.substr(one.begin, one.end - one.begin));
  return found;
}

using Texts = std::vector<std::string>;

TEST(Sentences, EndAtPunctuationBeforeWhiteSpace) {
  EXPECT_EQ(sentences("One. Two! Three? Four"), (Texts{"One.", "Two!", "Three?", "Four"}));
  EXPECT_EQ(sentences("Wait... What?! \"Yes.\" She left (early.) Then"),
            (Texts{"Wait...", "What?!", "\"Yes.\"", "She left (early.)", "Then"}));
  EXPECT_EQ(sentences("3.14 is pi. U.S. law, e.g. this one, stays."),
            (Texts{"3.14 is pi.", "U.S. law, e.g. this one, stays."}));
}

TEST(Sentences, EndAtTheEndsOfLines) {
  EXPECT_EQ(sentences("A title\n\n  a line, and\r\nanother.  "), (Texts{"A title", "a line, and", "another."}));
}

TEST(Sentences, EndAtTheMarksOfOtherScripts) {
  EXPECT_EQ(sentences("我来到北京。这是大学！「好。」是"), (Texts{"我来到北京。", "这是大学！", "「好。」", "是"}));
  EXPECT_EQ(sentences("यह एक है। वह दो है।"), (Texts{"यह एक है।", "वह दो है।"}));
  EXPECT_EQ(sentences("Это раз. Это два. и так"), (Texts{"Это раз.", "Это два. и так"}));
}

TEST(Sentences, AreNoneInATextOfWhiteSpace) {
  EXPECT_EQ(sentences(""), Texts());
  EXPECT_EQ(sentences(" \n\t "), Texts());
  EXPECT_EQ(sentences("."), Texts{"."});
}

}  // namespace
}  // namespace bert
