// Tests how Tokenizer::load reads the small JSON files beside a vocabulary.
#include "tokenizer/files/side_files.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"
#include "tests/tokenizer/files/loader_files.h"

namespace bert {
namespace {

using test::error_of;
using test::TemporaryDirectory;

TEST(SideFiles, TakesAModelMaxLengthBelowAMillion) {
  const auto limit = [](const char* config) {
    return Tokenizer::from_vocabulary(test::kLines, config).model_max_length();
  };
  EXPECT_EQ(limit(R"({"model_max_length": 512})"), 512u);
  EXPECT_EQ(limit(R"({"model_max_length": 1000000000000000019884624838656})"), std::nullopt);
  EXPECT_EQ(limit("{}"), std::nullopt);
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile, [&] { limit(R"({"model_max_length": 0})"); }),
            "'tokenizer_config.json': model_max_length: found 0, expected at least 1");
}

TEST(SideFiles, SetsTheDefaultsOfACall) {
  const Tokenizer tokenizer = Tokenizer::from_vocabulary(
      test::kLines, R"({"do_lower_case": true, "truncation_side": "left", "split_special_tokens": true})");
  EXPECT_TRUE(tokenizer.notices().empty());
  const auto ids = [&](const TokenizeOptions& options) { return tokenizer.tokenize("hello [MASK]", options).ids; };
  EXPECT_EQ(ids({}), ids({.split_special_tokens = true}));
  EXPECT_NE(ids({}), ids({.split_special_tokens = false}));
  const auto two = [&](std::optional<Direction> direction) {
    return ids({.split_special_tokens = false, .max_length = 3, .truncation_direction = direction});
  };
  EXPECT_EQ(two(std::nullopt), two(Direction::kLeft));
  EXPECT_NE(two(std::nullopt), two(Direction::kRight));
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile,
                     [] { Tokenizer::from_vocabulary(test::kLines, R"({"truncation_side": "up"})"); }),
            "'tokenizer_config.json': truncation_side: found \"up\", expected left or right");
}

TEST(SideFiles, AreReadAsPythonReadsJson) {
  const Tokenizer tokenizer = Tokenizer::from_vocabulary(
      test::kLines, R"({"do_lower_case": true, "name": "cut \ud83d", "x": NaN, "model_max_length": 5,
                        "model_max_length": 7})");
  EXPECT_EQ(tokenizer.model_max_length(), 7u);
  EXPECT_EQ(
      tokenizer.notices(),
      std::vector<std::string>{
          "'tokenizer_config.json': duplicate key 'model_max_length'; the last value counts, as in the reference"});
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile,
                     [] { Tokenizer::from_vocabulary(test::kLines, R"({"model_max_length": NaN})"); }),
            "'tokenizer_config.json': model_max_length: found NaN, expected a number");
}

TEST(SideFiles, RefusesClassesThatCutOtherwise) {
  EXPECT_EQ(
      error_of(ErrorCode::kUnsupported,
               [] { Tokenizer::from_vocabulary(test::kLines, R"({"tokenizer_class": "BertJapaneseTokenizer"})"); }),
      "'tokenizer_config.json': tokenizer_class 'BertJapaneseTokenizer' is not supported, expected BertTokenizer or "
      "one that works the same");
}

// Without a named family, vocab.txt would be read, as BERT's.
TEST(SideFiles, TakesFilesSpecialTokensAndTemplateFromTheNamedFamily) {
  const TemporaryDirectory directory;
  directory.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n");
  directory.write("vocab.json", R"({"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "a": 4, "b": 5, "<mask>": 6})");
  directory.write("merges.txt", "");
  EXPECT_EQ(Tokenizer::load(directory.path()).tokenize("a", "a").ids, (std::vector<int32_t>{2, 5, 3, 5, 3}));
  const std::vector<int32_t> named = {0, 4, 6, 2, 2, 5, 2};
  directory.write("config.json", R"({"model_type": "roberta"})");
  EXPECT_EQ(Tokenizer::load(directory.path()).tokenize("a <mask>", "b").ids, named);
  directory.write("config.json", R"({"model_type": "bert"})");
  directory.write("tokenizer_config.json", R"({"tokenizer_class": "RobertaTokenizerFast"})");
  EXPECT_EQ(Tokenizer::load(directory.path()).tokenize("a <mask>", "b").ids, named);
}

TEST(SideFiles, OpensNoPathThatStandsInAFile) {
  const TemporaryDirectory directory;
  directory.write("tokenizer_config.json", R"({"vocab_file": "other.txt", "tokenizer_file": "other.json"})");
  directory.write("other.txt", test::kLines);
  directory.write("other.json", test::json_file(test::kUncasedJson));
  EXPECT_NE(error_of(ErrorCode::kNotFound, [&] { Tokenizer::load(directory.path()); }), "");
}

TEST(SideFiles, RefusesADirectoryInPlaceOfAFile) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path() / "vocab.txt");
  EXPECT_NE(error_of(ErrorCode::kInvalidFile, [&] { Tokenizer::load(directory.path()); }), "");
}

}  // namespace
}  // namespace bert
