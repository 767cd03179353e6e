// Tests how Tokenizer::load reads tokenizer.json and the side files.
#include "tokenizer/files/tokenizer_json_loader.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"
#include "tests/tokenizer/files/loader_files.h"

namespace bert {
namespace {

using test::error_of;
using test::TemporaryDirectory;

// The expected ids are transformers 5.23's, whose BertTokenizer rebuilds the normalizer.
TEST(TokenizerJsonLoader, TakesTheNormalizerFromTheConfigurationForClassesThatRebuildIt) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", test::json_file(test::kCasedJson));
  directory.write("tokenizer_config.json", R"({"tokenizer_class": "BertTokenizer", "do_lower_case": true})");
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  EXPECT_EQ(test::ids(tokenizer, "Hello H\xC3\xA9llo"), (std::vector<int32_t>{5, 5})) << "accents follow lower case";
  EXPECT_EQ(tokenizer.notices(),
            (std::vector<std::string>{"'tokenizer.json': lowercase is replaced by true, as the reference's tokenizer "
                                      "class does"}));
  directory.write("tokenizer_config.json", R"({"tokenizer_class": "DistilBertTokenizerFast"})");
  EXPECT_EQ(test::ids(Tokenizer::load(directory.path()), "Hello"), (std::vector<int32_t>{5})) << "the class's default";
  directory.write("tokenizer_config.json", "{}");
  directory.write("config.json", R"({"model_type": "electra"})");
  EXPECT_EQ(test::ids(Tokenizer::load(directory.path()), "Hello"), (std::vector<int32_t>{5})) << "config.json's class";
}

TEST(TokenizerJsonLoader, LeavesTheNormalizerToTokenizerJsonForOtherClassesAndSaysSo) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", test::json_file(test::kCasedJson));
  directory.write("config.json", R"({"model_type": "bert"})");
  directory.write("tokenizer_config.json", R"({"tokenizer_class": "PreTrainedTokenizerFast", "do_lower_case": true})");
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  EXPECT_EQ(test::ids(tokenizer, "Hello"), (std::vector<int32_t>{6}));
  EXPECT_EQ(tokenizer.notices(),
            (std::vector<std::string>{"'tokenizer_config.json': do_lower_case true is not applied, as by the "
                                      "reference: 'tokenizer.json' decides"}));
}

// paraphrase-multilingual-MiniLM-L12-v2 has such files.
TEST(TokenizerJsonLoader, LoadsAUnigramModelBesideDoLowerCase) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", R"({"version": "1.0", "added_tokens": [], "normalizer": null,
      "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always"},
      "post_processor": null, "decoder": null,
      "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["\u2581a", -1], ["\u2581A", -2]]}})");
  directory.write("config.json", R"({"model_type": "bert"})");
  directory.write("tokenizer_config.json", R"({"tokenizer_class": "PreTrainedTokenizerFast", "do_lower_case": true})");
  EXPECT_EQ(Tokenizer::load(directory.path()).tokenize("A a").ids, (std::vector<int32_t>{2, 1}));
  directory.write("tokenizer_config.json", R"({"tokenizer_class": "BertTokenizer"})");
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  EXPECT_EQ(tokenizer.tokenize("A a").ids, (std::vector<int32_t>{2, 1}));
  ASSERT_EQ(tokenizer.notices().size(), 1u);
  EXPECT_NE(tokenizer.notices()[0].find("Unigram model is used"), std::string::npos);
}

// KLUE's RoBERTa models have such files. transformers 5.23 makes a BPE model without merges of them, which splits words
// into letters.
TEST(TokenizerJsonLoader, KeepsAWordPieceModelUnderARobertaClassAndSaysSo) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", test::json_file(test::kCasedJson));
  directory.write("config.json", R"({"model_type": "roberta"})");
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  EXPECT_EQ(test::ids(tokenizer, "Hello"), (std::vector<int32_t>{6}));
  EXPECT_EQ(tokenizer.notices(),
            (std::vector<std::string>{"'tokenizer.json': its WordPiece model is used; transformers 5 makes a BPE model "
                                      "of the same vocabulary for this tokenizer class"}));
}

TEST(TokenizerJsonLoader, AcceptsAConfigurationThatAgreesOrSaysNull) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", test::json_file(test::kUncasedJson));
  directory.write("tokenizer_config.json",
                  R"({"do_lower_case": true, "strip_accents": null, "tokenize_chinese_chars": true})");
  EXPECT_TRUE(Tokenizer::load(directory.path()).notices().empty());
}

TEST(TokenizerJsonLoader, RefusesACallerWhoContradictsTokenizerJson) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", test::json_file(test::kUncasedJson));
  EXPECT_EQ(
      error_of(ErrorCode::kInvalidArgument, [&] { Tokenizer::load(directory.path(), {.lowercase = false}); }),
      "cased text was requested, but '" + (directory.path() / "tokenizer.json").string() + "' says lowercase true");
}

TEST(TokenizerJsonLoader, TellsOfListedIdsThatDoNotHold) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json",
                  test::json_file(test::kUncasedJson, R"([{"id": 99, "content": "[CLS]", "special": true}])"));
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  EXPECT_EQ(tokenizer.id("[CLS]"), 2);
  ASSERT_EQ(tokenizer.notices().size(), 1u);
  EXPECT_EQ(tokenizer.notices()[0], "added token '[CLS]' is listed with id 99, but has 2, as in the reference");
}

TEST(TokenizerJsonLoader, AddsTokensThatOnlyTheConfigurationHas) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", test::json_file(test::kUncasedJson));
  directory.write("tokenizer_config.json", R"({"added_tokens_decoder": {"8": {"content": "[ENT]", "special": true}}})");
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  EXPECT_EQ(test::ids(tokenizer, "[ENT]"), (std::vector<int32_t>{8}));
  EXPECT_EQ(tokenizer.notices(),
            (std::vector<std::string>{"added token '[ENT]' is not in 'tokenizer.json'; it is added with id 8, "
                                      "as in the reference"}));
}

// As in transformers 5.23, the side files' flags of a token replace those of tokenizer.json, whatever id they list.
TEST(TokenizerJsonLoader, TakesTheFlagsOfListedTokens) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json",
                  test::json_file(test::kUncasedJson, R"([{"id": 4, "content": "[MASK]", "special": true}])"));
  directory.write("tokenizer_config.json", R"({"tokenizer_class": "PreTrainedTokenizerFast", "added_tokens_decoder":
      {"9": {"content": "[MASK]", "special": true, "normalized": true}}})");
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  EXPECT_EQ(test::ids(tokenizer, "[mask]"), (std::vector<int32_t>{4}));
  EXPECT_EQ(tokenizer.notices(), (std::vector<std::string>{
                                     "added token '[MASK]' is listed with id 9, but has 4, as in the reference",
                                     "'tokenizer.json': the flags of added token '[MASK]' are replaced by those of the "
                                     "files next to it, as in the reference"}));
}

// The expected ids are transformers 5.23's.
TEST(TokenizerJsonLoader, AddsSpecialTokensThatTheFilesNameAndTheVocabularyLacks) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", test::json_file(test::kUncasedJson));
  directory.write("tokenizer_config.json",
                  R"({"extra_special_tokens": ["<x>"], "eos_token": "<e>", "image_token": "<i>", "bos_token": "<b>"})");
  EXPECT_EQ(test::ids(Tokenizer::load(directory.path()), "<b><e><i><x>"), (std::vector<int32_t>{8, 9, 10, 11}));
}

TEST(TokenizerJsonLoader, PadsWithTheTokenThatTheFilesName) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", test::json_file(test::kUncasedJson));
  directory.write("tokenizer_config.json", R"({"pad_token": "[MASK]"})");
  const Encoding encoding = Tokenizer::load(directory.path()).tokenize("hello", {.padding = {.length = 4}});
  EXPECT_EQ(encoding.ids, (std::vector<int32_t>{2, 5, 3, 4}));
}

TEST(TokenizerJsonLoader, TakesThePrefixSpaceFromTheConfigurationForByteLevelClasses) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", R"({"version": "1.0", "added_tokens": [], "normalizer": null,
      "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true},
      "post_processor": null, "decoder": null,
      "model": {"type": "BPE", "unk_token": "a", "vocab": {"a": 0, "\u0120": 1, "\u0120a": 2}, "merges": ["\u0120 a"]}})");
  directory.write("tokenizer_config.json", R"({"add_prefix_space": true})");
  EXPECT_EQ(test::ids(Tokenizer::load(directory.path()), "a"), (std::vector<int32_t>{0})) << "no class";
  directory.write("tokenizer_config.json", R"({"tokenizer_class": "RobertaTokenizer", "add_prefix_space": true})");
  EXPECT_EQ(test::ids(Tokenizer::load(directory.path()), "a"), (std::vector<int32_t>{2}));
}

}  // namespace
}  // namespace bert
