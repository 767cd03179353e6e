// tokenizer.json and the small files beside it, through Tokenizer::load.
#include "tokenizer/tokenizer_json_loader.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"
#include "tests/tokenizer/loader_files.h"

namespace bert {
namespace {

using test::error_of;
using test::TemporaryDirectory;

TEST(TokenizerJsonLoader, RefusesAConfigurationThatContradictsTokenizerJson) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", test::json_file(test::kCasedJson));
  directory.write("tokenizer_config.json", R"({"do_lower_case": true})");
  EXPECT_EQ(
      error_of(ErrorCode::kInvalidFile, [&] { Tokenizer::load(directory.path()); }),
      "'tokenizer_config.json' says do_lower_case true, 'tokenizer.json' lowercase false: expected the same, or a "
      "choice (tokenizer_config_wins)");
  const Tokenizer tokenizer = Tokenizer::load(directory.path(), {.tokenizer_config_wins = true});
  EXPECT_EQ(test::ids(tokenizer, "Hello H\xC3\xA9llo"), (std::vector<int32_t>{5, 5})) << "accents follow lower case";
  ASSERT_EQ(tokenizer.notices().size(), 1u);
  EXPECT_EQ(tokenizer.notices()[0],
            "'tokenizer_config.json' says do_lower_case true, 'tokenizer.json' lowercase false; the first holds");
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
  EXPECT_EQ(error_of(ErrorCode::kInvalidArgument, [&] { Tokenizer::load(directory.path(), {.lowercase = false}); }),
            "cased text was asked for, but 'tokenizer.json' says lowercase true");
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

TEST(TokenizerJsonLoader, RefusesAddedTokensThatOnlyTheConfigurationHas) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", test::json_file(test::kUncasedJson));
  directory.write("tokenizer_config.json", R"({"added_tokens_decoder": {"8": {"content": "[ENT]", "special": true}}})");
  EXPECT_EQ(
      error_of(ErrorCode::kInvalidFile, [&] { Tokenizer::load(directory.path()); }),
      "'tokenizer_config.json': added_tokens_decoder has '[ENT]', which 'tokenizer.json' does not have: expected the "
      "same, or a choice (tokenizer_config_wins)");
  EXPECT_EQ(test::ids(Tokenizer::load(directory.path(), {.tokenizer_config_wins = true}), "[ENT]"),
            (std::vector<int32_t>{8}));
}

TEST(TokenizerJsonLoader, PadsWithTheTokenThatTheFilesName) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", test::json_file(test::kUncasedJson));
  directory.write("tokenizer_config.json", R"({"pad_token": "[MASK]"})");
  const Encoding encoding = Tokenizer::load(directory.path()).tokenize("hello", {.padding = {.length = 4}});
  EXPECT_EQ(encoding.ids, (std::vector<int32_t>{2, 5, 3, 4}));
}

TEST(TokenizerJsonLoader, AsksWhereTheTwoFilesDifferOnThePrefixSpace) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", R"({"version": "1.0", "added_tokens": [], "normalizer": null,
      "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true},
      "post_processor": null, "decoder": null,
      "model": {"type": "BPE", "unk_token": "a", "vocab": {"a": 0, "\u0120": 1, "\u0120a": 2}, "merges": ["\u0120 a"]}})");
  directory.write("tokenizer_config.json", R"({"add_prefix_space": true})");
  EXPECT_NE(error_of(ErrorCode::kInvalidFile, [&] { Tokenizer::load(directory.path()); }).find("add_prefix_space true"),
            std::string::npos);
  EXPECT_EQ(Tokenizer::load(directory.path(), {.tokenizer_config_wins = true}).tokenize("a").ids,
            (std::vector<int32_t>{2}));
}

}  // namespace
}  // namespace bert
