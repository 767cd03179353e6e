#include "tokenizer/tokenizer_json_parser.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

std::string error_of(std::string_view text) {
  return test::error_of(ErrorCode::kInvalidFile, [&] { parse_tokenizer_json(text, "tokenizer.json"); });
}

TEST(TokenizerJsonParser, TakesTheVocabularyOutAndKeepsTheRest) {
  const ParsedTokenizerJson parsed = parse_tokenizer_json(
      R"({"a": [1, {"vocab": {"x": 1}}], "model": {"t": null, "vocab": {"b": 1, "\u00e9": 0}, "u": -1.5}, "vocab": {"y": 2}})",
      "t");
  ASSERT_EQ(parsed.vocabulary.size(), 2u);
  EXPECT_EQ(parsed.vocabulary[1], (std::pair<std::string, uint64_t>("\xC3\xA9", 0)));
  EXPECT_EQ(parsed.json,
            Json::parse(
                R"({"a": [1, {"vocab": {"x": 1}}], "model": {"t": null, "vocab": {}, "u": -1.5}, "vocab": {"y": 2}})"));
}

TEST(TokenizerJsonParser, LeavesAStrangeVocabularyInTheTree) {
  const ParsedTokenizerJson parsed = parse_tokenizer_json(R"({"model": {"vocab": {"a": 1, "b": "x"}}})", "t");
  EXPECT_TRUE(parsed.vocabulary.empty());
  EXPECT_EQ(parsed.json["model"]["vocab"]["b"], "x");
}

TEST(TokenizerJsonParser, ReadsPythonLiteralsAsTheStrictParserDoes) {
  const ParsedTokenizerJson parsed = parse_tokenizer_json(R"({"x": NaN, "model": {"vocab": {"a": 1}}})", "t");
  EXPECT_EQ(parsed.json["x"], "NaN");
  EXPECT_EQ(parsed.json["model"]["vocab"]["a"], 1);
}

TEST(TokenizerJsonParser, RefusesWhatTheStrictParserRefuses) {
  EXPECT_EQ(error_of(R"({"a": 1, "a": 2})"), "'tokenizer.json': duplicate key 'a'");
  EXPECT_NE(error_of(std::string(100, '[')).find("deeper than 64"), std::string::npos);
  EXPECT_NE(error_of(R"({"model": {"vocab": {"a": 1)").find("not valid JSON"), std::string::npos);
  EXPECT_NE(error_of("").find("not valid JSON"), std::string::npos);
  EXPECT_NE(error_of("{} x").find("not valid JSON"), std::string::npos);
  EXPECT_NE(error_of("{\"a\": \"\xFF\"}").find("not valid JSON"), std::string::npos);
}

}  // namespace
}  // namespace bert
