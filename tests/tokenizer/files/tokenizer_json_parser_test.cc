#include "tokenizer/files/tokenizer_json_parser.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

std::string parse_error(std::string_view text) {
  return test::error_of(ErrorCode::kInvalidFile, [&] { parse_tokenizer_json(text, "tokenizer.json"); });
}

// Returns the whole document as text: an excerpt, whose length limit no test reaches.
std::string tree(const ParsedTokenizerJson& parsed) { return json_excerpt(parsed.document.root()); }

TEST(TokenizerJsonParser, TakesTheVocabularyOutAndKeepsTheRest) {
  const ParsedTokenizerJson parsed = parse_tokenizer_json(
      R"({"a": [{"vocab": 1}], "model": {"vocab": {"b": 1, "\u00e9": 0}, "u": -1.5}, "vocab": 2})", "t");
  ASSERT_EQ(parsed.vocabulary.size(), 2u);
  EXPECT_EQ(parsed.vocabulary[1], (std::pair<std::string_view, uint64_t>("\xC3\xA9", 0)));
  EXPECT_EQ(tree(parsed), R"({"a":[{"vocab":1}],"model":{"vocab":{},"u":-1.5},"vocab":2})");
}

TEST(TokenizerJsonParser, TakesAVocabularyWithScoresOut) {
  const ParsedTokenizerJson parsed =
      parse_tokenizer_json(R"({"model": {"vocab": [["a", -1.5], ["b", 2]], "x": 1}})", "t");
  EXPECT_EQ(parsed.scored_vocabulary, (std::vector<std::pair<std::string_view, double>>{{"a", -1.5}, {"b", 2}}));
  EXPECT_EQ(tree(parsed), R"({"model":{"vocab":[],"x":1}})");
  const ParsedTokenizerJson strange = parse_tokenizer_json(R"({"model": {"vocab": [["a", -1.5], ["b"]]}})", "t");
  EXPECT_EQ(tree(strange), R"({"model":{"vocab":[["a",-1.5],["b"]]}})");
  EXPECT_TRUE(strange.scored_vocabulary.empty());
}

TEST(TokenizerJsonParser, TakesMergesOutInBothForms) {
  using MergePairs = std::vector<std::pair<std::string_view, std::string_view>>;
  const std::string_view vocabulary = R"({"a": 0, "ab": 1})";
  const auto parse = [&](const std::string& merges) {
    return parse_tokenizer_json(R"({"model": {"merges": )" + merges + R"(, "vocab": )" + std::string(vocabulary) + "}}",
                                "t");
  };
  for (const std::string merges :
       {R"(["a b", "\u0061b a"])", R"([["a", "b"] , ["ab","a"]])", R"(["a b", ["ab", "a"]])"}) {
    const ParsedTokenizerJson parsed = parse(merges);
    EXPECT_EQ(parsed.merges, (MergePairs{{"a", "b"}, {"ab", "a"}}));
    EXPECT_EQ(tree(parsed), R"({"model":{"merges":[],"vocab":{}}})");
    EXPECT_EQ(parsed.vocabulary.size(), 2u);
  }
  for (const std::string merges : {R"(["a b","ab"])", R"(["a b c"])", R"([["a"]])", R"([["a","b","c"]])", R"([1])"}) {
    const ParsedTokenizerJson parsed = parse(merges);
    EXPECT_TRUE(parsed.merges.empty() && parsed.vocabulary.empty());
    EXPECT_EQ(tree(parsed), R"({"model":{"merges":)" + merges + R"(,"vocab":{"a":0,"ab":1}}})");
  }
}

TEST(TokenizerJsonParser, ReadsVocabularyFiles) {
  const ParsedTokenizerJson parsed = parse_vocabulary_json(R"( {"a": 1, "\"": 0} )", "vocab.json");
  EXPECT_EQ(parsed.vocabulary, (std::vector<std::pair<std::string_view, uint64_t>>{{"a", 1}, {"\"", 0}}));
  EXPECT_EQ(tree(parsed), "{}");
  const ParsedTokenizerJson list = parse_vocabulary_json(R"([["a", 1]])", "vocab.json");
  EXPECT_EQ(tree(list), R"([["a",1]])");
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidFile, [] { parse_vocabulary_json("{} {}", "vocab.json"); }),
            "'vocab.json', byte 3: found '{}' after the JSON, expected only white space");
}

// The expected values are calculated by hand from serde_json's rule: the digits as an integer, rounded, are divided by
// a power of ten, and rounded again.
TEST(TokenizerJsonParser, ReadsNumbersAsTheReferenceDoes) {
  EXPECT_EQ(reference_double("-2.0122928619384766"), -20122928619384766.0 / 1e16);
  EXPECT_EQ(reference_double("12345678901234567890.5"), 12345678901234567890.0);
  EXPECT_EQ(reference_double("123456789012345678901"), 12345678901234567890.0 * 10);
  EXPECT_EQ(reference_double("1.5e3"), 1500);
  EXPECT_EQ(reference_double("-25E-1"), -2.5);
  EXPECT_EQ(reference_double("0.0"), 0);
  EXPECT_EQ(reference_double("1e-400"), 0);
}

// 2,000 added tokens have 14,000 keys.
TEST(TokenizerJsonParser, TakesListsOutOfAFileWithManyAddedTokens) {
  std::string text = R"({"added_tokens": [)";
  for (int id = 0; id < 2000; ++id) {
    text += (id == 0 ? "" : ",") + (R"({"id": )" + std::to_string(id)) +
            R"(, "content": "x", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,)" +
            R"( "special": true})";
  }
  const ParsedTokenizerJson parsed = parse_tokenizer_json(text + R"(], "model": {"vocab": [["a", -1.5]]}})", "t");
  EXPECT_EQ(parsed.scored_vocabulary.size(), 1u);
  EXPECT_EQ(parsed.document.root().find("added_tokens")->size(), 2000u);
}

TEST(TokenizerJsonParser, LeavesAStrangeVocabularyInTheTree) {
  const ParsedTokenizerJson parsed = parse_tokenizer_json(R"({"model": {"vocab": {"a": 1, "b": "x"}}})", "t");
  EXPECT_TRUE(parsed.vocabulary.empty());
  EXPECT_EQ(tree(parsed), R"({"model":{"vocab":{"a":1,"b":"x"}}})");
}

// tokenizers 0.23 takes the last value too.
TEST(TokenizerJsonParser, TakesTheLastValueOfARepeatedKey) {
  const ParsedTokenizerJson parsed = parse_tokenizer_json(
      R"({"a": 1, "model": {"vocab": {"a": 1}, "vocab": {"b": 2}, "merges": ["a b"], "merges": []}, "a": 2})", "t");
  EXPECT_EQ(tree(parsed), R"({"model":{"vocab":{},"merges":[]},"a":2})");
  ASSERT_EQ(parsed.vocabulary.size(), 1u);
  EXPECT_EQ(parsed.vocabulary[0].first, "b");
  EXPECT_TRUE(parsed.merges.empty());
  EXPECT_EQ(parsed.notices.size(), 2u);
}

TEST(TokenizerJsonParser, RefusesWhatIsNoStrictJson) {
  EXPECT_NE(parse_error(R"({"x": NaN})").find("expected a value of JSON"), std::string::npos);
  EXPECT_NE(parse_error(R"({"x": "\ud83d"})").find("half of a surrogate pair"), std::string::npos);
  EXPECT_NE(parse_error(std::string(100, '[')).find("deeper than 64"), std::string::npos);
  EXPECT_EQ(parse_error(R"({"model": {"vocab": {"a": 1)"),
            "'tokenizer.json', byte 27: found the end of the text, expected a comma or a closing brace");
  EXPECT_EQ(parse_error(""), "'tokenizer.json', byte 0: found the end of the text, expected a value of JSON");
  EXPECT_NE(parse_error("{} x").find("byte 3: found 'x' after the JSON"), std::string::npos);
  EXPECT_NE(parse_error("{\"a\": \"\xFF\"}").find("expected UTF-8"), std::string::npos);
}

TEST(TokenizerJsonFields, FindsElementsWithTheirPlaces) {
  const JsonDocument json = parse_json(R"({"b": {"type": "Sequence", "x": [{}, {}]}})", "f");
  const JsonObject file(json.root(), "f");
  const auto found = elements(file.required_object("b"), "x");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].where(), "b.x[1]");
  EXPECT_EQ(type_of(file.required_object("b")), "Sequence");
  EXPECT_EQ(test::error_of(ErrorCode::kUnsupported, [&] { refuse_component(found[0], "'q'"); }),
            "'f': b.x[0] 'q' is not supported");
}

TEST(TokenizerJsonFields, WantsOneCharacterWhereOneIsNeeded) {
  const JsonDocument json = parse_json(R"({"a": "\u2581", "b": "", "c": "xy"})", "f");
  const JsonObject file(json.root(), "f");
  EXPECT_EQ(required_character(file, "a"), U'\u2581');
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidFile, [&] { required_character(file, "b"); }),
            "'f': b: found \"\", expected one character");
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidFile, [&] { required_character(file, "c"); }),
            "'f': c: found \"xy\", expected one character");
}

}  // namespace

}  // namespace bert
