// Tests the phrases that all findings use. Other tests check the pages that the program draws.
#include "program/drawings/findings/findings.h"

#include <gtest/gtest.h>

#include <clocale>

namespace bert::drawings {
namespace {

TEST(Findings, ListItems) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
}

TEST(Findings, WriteSharesInPercent) {
  EXPECT_EQ(percent(0.123), "12 %");
  EXPECT_EQ(percent(-0.0001), "0 %");
  EXPECT_EQ(percent(0.1234, 1), "12.3 %");
}

TEST(Findings, DistinguishTokensThatOccurTwice) {
  EXPECT_EQ(distinct_labels({"the", "dog", "the"}), (std::vector<std::string>{"0 the", "dog", "2 the"}));
}

TEST(Findings, NameTheModelAndTheText) {
  std::setlocale(LC_ALL, "C.UTF-8");  // one_line keeps letters of the locale
  const Model model = Model::builtin();
  EXPECT_EQ(name_on_page(model), "the built-in model");
  const Encoding encoding = model.tokenizer().tokenize("a dog", "the fox");
  EXPECT_EQ(token_labels(encoding, model),
            (std::vector<std::string>{"[CLS]", "a", "dog", "[SEP]", "the", "fox", "[SEP]"}));
  EXPECT_EQ(page_lead(encoding, "a dog", "the fox", model),
            "“a dog” (A) and “the fox” (B) — the built-in model, 7 tokens");
  const Encoding unknown = model.tokenizer().tokenize("a 東", "the 京");
  EXPECT_EQ(shown_tokens(unknown, "a 東", "the 京", model),
            (std::vector<std::string>{"[CLS]", "a A", "[UNK] 東 A", "[SEP]", "the B", "[UNK] 京 B", "[SEP]"}));
  EXPECT_EQ(readable_tokens(unknown, "a 東", "the 京", model),
            (std::vector<std::string>{"[CLS]", "a", "[UNK] 東", "[SEP]", "the", "[UNK] 京", "[SEP]"}));
  EXPECT_EQ(name_of_directory("models/x/"), "x");
  EXPECT_EQ(name_of_directory("hub/models--a--b/snapshots/0123"), "a/b");
}

}  // namespace
}  // namespace bert::drawings
