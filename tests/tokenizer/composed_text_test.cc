// Expected values from transformers 5.23: the normalizer and pre-tokenizer of DebertaV2Tokenizer.
#include "tokenizer/composed_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/base/json.h"

namespace bert {
namespace {

// The words of a text under this tokenizer_config.json, each after a space.
std::string words(const std::string& config, std::string_view text) {
  const JsonDocument document = parse_json(config, "tokenizer_config.json");
  const JsonObject fields(document.root(), "tokenizer_config.json");
  SplitText split{original_text(text, 0), {}};
  composed_normalizer(&fields).apply(split.text);
  split.words = {{0, split.text.bytes.size()}};
  composed_splitter(&fields).apply(split);
  std::string joined;
  for (const TextRange& word : split.words) {
    joined += " " + split.text.bytes.substr(word.begin, word.end - word.begin);
  }
  return joined;
}

TEST(ComposedText, MakesWhiteSpaceSingleSpacesAndComposes) {
  EXPECT_EQ(words("{}", "a \n\tb"), " \u2581a \u2581b");
  EXPECT_EQ(words("{}", "e\u0301 a\tb  "), " \u2581\u00E9 \u2581a \u2581b");
  EXPECT_EQ(words("{}", "\u00A0a"), " \u2581\u00A0a");
  EXPECT_EQ(words("{}", "b\u00A0\u2003b"), " \u2581b \u2581b");
}

TEST(ComposedText, FollowsTokenizerConfig) {
  EXPECT_EQ(words("{}", "A.c b"), " \u2581A.c \u2581b");
  EXPECT_EQ(words(R"({"do_lower_case": true})", "A.c b"), " \u2581a.c \u2581b");
  EXPECT_EQ(words(R"({"split_by_punct": true})", "A.c b"), " \u2581A \u2581. \u2581c \u2581b");
}

}  // namespace
}  // namespace bert
