#include "tokenizer/files/tokenizer_json_model.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

JsonModel read_model(const std::string& model) {
  ParsedTokenizerJson parsed = parse_tokenizer_json("{\"model\": " + model + "}", "f");
  return read_model(JsonObject(parsed.document.root(), "f").required_object("model"), parsed);
}
std::string invalid(const std::string& model) {
  return test::error_of(ErrorCode::kInvalidFile, [&] { read_model(model); });
}

TEST(TokenizerJsonModel, ReadsMergesInBothWaysOfWritingThem) {
  const JsonModel model =
      read_model(R"({"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b", ["ab", "a"]],
                                   "unk_token": "a", "fuse_unk": true, "end_of_word_suffix": "</w>"})");
  const auto& settings = std::get<BpeSettings>(model.settings);
  EXPECT_EQ(settings.merges, (std::vector<std::pair<std::string, std::string>>{{"a", "b"}, {"ab", "a"}}));
  EXPECT_EQ(settings.unknown_token, "a");
  EXPECT_TRUE(settings.fuse_unknown && !settings.byte_fallback && !settings.ignore_merges);
  EXPECT_EQ(settings.end_suffix, "</w>");
  EXPECT_EQ(model.vocabulary.id("ab"), 2);
}

TEST(TokenizerJsonModel, ReadsScoresInTheOrderOfTheIds) {
  const JsonModel model =
      read_model(R"({"type": "Unigram", "unk_id": 1, "vocab": [["b", -1], ["a", -2.5], ["c", 0]]})");
  const auto& settings = std::get<UnigramSettings>(model.settings);
  EXPECT_EQ(settings.scores, (std::vector<double>{-1, -2.5, 0}));
  EXPECT_EQ(settings.unknown_id, 1);
  EXPECT_EQ(model.vocabulary.id("c"), 2);
}

TEST(TokenizerJsonModel, GuessesTheKindOfAFileWithoutOne) {
  EXPECT_TRUE(std::holds_alternative<BpeSettings>(read_model(R"({"vocab": {"a": 0}, "merges": []})").settings));
  EXPECT_TRUE(std::holds_alternative<UnigramSettings>(read_model(R"({"vocab": [["a", 0]], "unk_id": 0})").settings));
}

TEST(TokenizerJsonModel, RefusesMalformedModels) {
  EXPECT_EQ(invalid(R"({"type": "BPE", "vocab": {"a": 0}, "merges": ["a"]})"),
            "'f': model.merges[0]: found \"a\", expected two tokens");
  EXPECT_EQ(invalid(R"({"type": "BPE", "vocab": {"a": 0}})"), "'f': model.merges: missing, expected an array");
  EXPECT_EQ(invalid(R"({"type": "Unigram", "vocab": [["a", "x"]], "unk_id": 0})"),
            "'f': model.vocab[0]: found [\"a\",\"x\"], expected a token and its score");
  EXPECT_EQ(invalid(R"({"type": "Unigram", "vocab": [["a", 1]], "unk_id": 1})"),
            "'f': model.unk_id: found 1, expected an integer from 0 to 0");
  EXPECT_EQ(invalid(R"({"type": "Unigram", "vocab": [["a", 1]], "unk_id": "0"})"),
            "'f': model.unk_id: found \"0\", expected an integer from 0 to 0");
  EXPECT_EQ(invalid(R"({"type": "Unigram", "vocab": [], "unk_id": 0})"),
            "'f': model.vocab: found [], expected at least one token");
  EXPECT_EQ(test::error_of(ErrorCode::kUnsupported,
                           [] { read_model(R"({"type": "BPE", "vocab": {}, "merges": [], "dropout": 0.1})"); }),
            "'f': model with dropout 0.1 is not supported");
}

}  // namespace
}  // namespace bert
