// Tests how Tokenizer::load reads a family's own vocabulary files.
#include "tokenizer/files/vocabulary_files.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/sentencepiece_writer.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"
#include "tests/tokenizer/files/loader_files.h"

namespace bert {
namespace {

using test::error_of;
using test::TemporaryDirectory;

TEST(VocabularyFiles, LowersWithoutAConfigurationAndSaysSo) {
  const Tokenizer tokenizer = Tokenizer::from_vocabulary(test::kLines, "");
  EXPECT_EQ(test::ids(tokenizer, "Hello"), (std::vector<int32_t>{5}));
  ASSERT_EQ(tokenizer.notices().size(), 1u);
  EXPECT_EQ(tokenizer.notices()[0], "no 'tokenizer_config.json': the text is lower-cased, as the reference does");
}

TEST(VocabularyFiles, LetsTheCallerDecideWhereNoFileDoes) {
  const Tokenizer tokenizer = Tokenizer::from_vocabulary(test::kLines, "", {.lowercase = false});
  EXPECT_EQ(test::ids(tokenizer, "Hello"), (std::vector<int32_t>{6}));
  EXPECT_TRUE(tokenizer.notices().empty());
}

TEST(VocabularyFiles, TakesDoLowerCaseAndRefusesACallerWhoContradicts) {
  const char* config = R"({"do_lower_case": false})";
  EXPECT_EQ(test::ids(Tokenizer::from_vocabulary(test::kLines, config), "Hello"), (std::vector<int32_t>{6}));
  EXPECT_EQ(error_of(ErrorCode::kInvalidArgument,
                     [&] { Tokenizer::from_vocabulary(test::kLines, config, {.lowercase = true}); }),
            "lower case was requested, but 'tokenizer_config.json' says do_lower_case false");
}

TEST(VocabularyFiles, ReadsSpecialTokensFromTheOlderFiles) {
  const TemporaryDirectory directory;
  directory.write("vocab.txt", test::kLines);
  directory.write("tokenizer_config.json", R"({"do_lower_case": true, "cls_token": "[MASK]"})");
  directory.write("special_tokens_map.json", R"({"cls_token": "[SEP]"})");
  directory.write("added_tokens.json", R"({"[ENT]": 8})");
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  EXPECT_EQ(tokenizer.tokenize("[ent] hello").ids, (std::vector<int32_t>{3, 8, 5, 3}));
  EXPECT_EQ(tokenizer.id("[ENT]"), 8);
  EXPECT_EQ(tokenizer.token(8), "[ENT]");
  EXPECT_EQ(tokenizer.vocabulary_size(), 9u);
}

TEST(VocabularyFiles, LeavesTheOlderFilesAloneWhereTheConfigurationListsAddedTokens) {
  const TemporaryDirectory directory;
  directory.write("vocab.txt", test::kLines);
  directory.write("tokenizer_config.json",
                  R"({"do_lower_case": true, "added_tokens_decoder": {"2": {"content": "[CLS]", "special": true}}})");
  directory.write("special_tokens_map.json", R"({"cls_token": "[SEP]"})");
  EXPECT_EQ(Tokenizer::load(directory.path()).tokenize("").ids, (std::vector<int32_t>{2, 3}));
}

TEST(VocabularyFiles, AppendsASpecialTokenThatTheVocabularyLacksAndSaysSo) {
  const Tokenizer tokenizer = Tokenizer::from_vocabulary("[PAD]\n[UNK]\n[CLS]\n[SEP]\n", R"({"do_lower_case": true})");
  EXPECT_EQ(tokenizer.id("[MASK]"), 4);
  ASSERT_EQ(tokenizer.notices().size(), 1u);
  EXPECT_EQ(tokenizer.notices()[0], "special token '[MASK]' is not in 'vocab.txt' and has id 4 past its end");
}

TEST(VocabularyFiles, RefusesAVocabularyWithoutTheUnknownToken) {
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile, [] { Tokenizer::from_vocabulary("[CLS]\n[SEP]\n", ""); }),
            "'vocab.txt': the unknown token '[UNK]' is not in the vocabulary");
}

TEST(VocabularyFiles, NamesTheDirectoryOfAnEmptyFile) {
  const TemporaryDirectory directory;
  for (const char* name : {"vocab.txt", "spm.model"}) {
    directory.write(name, "");
    EXPECT_EQ(error_of(ErrorCode::kInvalidFile, [&] { Tokenizer::load(directory.path()); }),
              "'" + (directory.path() / name).string() + "': found an empty file, expected a vocabulary");
    std::filesystem::remove(directory.path() / name);
  }
}

// The expected values are those of transformers 5.23, where the mask does not take the space before it.
TEST(VocabularyFiles, ReadsByteLevelBpeFromItsTwoFiles) {
  const TemporaryDirectory directory;
  directory.write("vocab.json",
                  R"({"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "a": 4, "b": 5, "\u0120": 6, "ab": 7, "\u0120ab": 8,
                      "<mask>": 9})");
  directory.write("merges.txt", "#version: 0.2\na b\n\u0120 ab\n");
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  const Encoding pair = tokenizer.tokenize("ab ab <mask>", "b");
  EXPECT_EQ(pair.ids, (std::vector<int32_t>{0, 7, 8, 6, 9, 2, 2, 5, 2}));
  EXPECT_EQ(pair.type_ids, std::vector<int32_t>(9, 0));
  EXPECT_EQ(pair.offsets[2], (Offset{3, 5}));
  EXPECT_EQ(pair.offsets[3], (Offset{6, 6}));
  EXPECT_EQ(pair.offsets[4], (Offset{6, 12}));
  EXPECT_EQ(tokenizer.decode(pair.ids, true), "ab ab b");
  ASSERT_EQ(tokenizer.notices().size(), 1u);
  EXPECT_NE(tokenizer.notices()[0].find("the space before '<mask>' is not part of it"), std::string::npos);
  EXPECT_EQ(tokenizer.tokenize("a", {.padding = {.length = 4}}).ids, (std::vector<int32_t>{0, 4, 2, 1}));

  directory.write("tokenizer_config.json", R"({"add_prefix_space": true})");
  EXPECT_EQ(Tokenizer::load(directory.path()).tokenize("ab").ids, (std::vector<int32_t>{0, 8, 2}));
  directory.write("merges.txt", "#version: 0.2\na b c\n");
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile, [&] { Tokenizer::load(directory.path()); }),
            "'" + (directory.path() / "merges.txt").string() + "': line 2: found 'a b c', expected two tokens");
}

const std::vector<test::WrittenPiece> kLetters = {{"<unk>", 0, 2},  {"<s>", 0, 3}, {"</s>", 0, 3}, {"\u2581", -1},
                                                  {"a", -2},        {"b", -3},     {"ab", -4},     {"\u2581a", -5},
                                                  {"\u2581ab", -6}, {"c", -7}};

// ESM's tokens are matched anywhere in a word; the rest of a word becomes one unknown token.
TEST(VocabularyFiles, FindsTheTokensOfAList) {
  const TemporaryDirectory directory;
  directory.write("config.json", R"({"model_type": "esm"})");
  directory.write("vocab.txt", "<cls>\n<pad>\n<eos>\n<unk>\nM\nK\n<mask>");
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  const auto ids = [&](const char* text) { return tokenizer.tokenize(text).ids; };
  EXPECT_EQ(ids("MKM"), (std::vector<int32_t>{0, 4, 5, 4, 2}));
  EXPECT_EQ(ids(" M mk K<mask>xy z"), (std::vector<int32_t>{0, 4, 3, 5, 6, 3, 3, 2}));
  EXPECT_EQ(tokenizer.tokenize("M", "K").ids, (std::vector<int32_t>{0, 4, 2, 5, 2}));
  EXPECT_TRUE(tokenizer.notices().empty());
}

// The expected ids are those of transformers 5.23, which takes XLM-RoBERTa's tokenizer for a model of type gte if no
// file names a class.
TEST(VocabularyFiles, TakesTheTokenizerOfTheModelType) {
  const TemporaryDirectory directory;
  directory.write("sentencepiece.bpe.model", test::sentencepiece_bytes(kLetters));
  directory.write("config.json", R"({"model_type": "gte"})");
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  EXPECT_EQ(tokenizer.tokenize("ab c").ids, (std::vector<int32_t>{0, 4, 7, 4, 10, 2}));
  EXPECT_EQ(tokenizer.tokenize("ab c", "a").ids, (std::vector<int32_t>{0, 4, 7, 4, 10, 2, 2, 4, 5, 2}));
}

TEST(VocabularyFiles, RefusesFieldsThatReplaceTheTemplate) {
  const TemporaryDirectory directory;
  directory.write("spiece.model", test::sentencepiece_bytes(kLetters));
  directory.write("tokenizer_config.json", R"({"tokenizer_class": "AlbertTokenizer", "add_eos_token": true})");
  EXPECT_EQ(error_of(ErrorCode::kUnsupported, [&] { Tokenizer::load(directory.path()); }),
            "'" + (directory.path() / "tokenizer_config.json").string() + "': add_eos_token is not supported beside '" +
                (directory.path() / "spiece.model").string() + "', expected no such field, or a tokenizer.json");
}

// A byte-level tokenizer.json and the two files it was made from give the same tokens.
TEST(VocabularyFiles, ReadsRealByteLevelFilesEqually) {
  BERT_TEST_DATA_OR_SKIP(data, "tokenizer_json");
  const TemporaryDirectory together, apart;
  together.write("tokenizer.json", test::read_file(data / "roberta-base.tokenizer.json"));
  apart.write("vocab.json", test::read_file(data / "roberta-base.vocab.json"));
  apart.write("merges.txt", test::read_file(data / "roberta-base.merges.txt"));
  apart.write("special_tokens_map.json", R"({"mask_token": {"content": "<mask>", "lstrip": true}})");
  const Tokenizer a = Tokenizer::load(together.path()), b = Tokenizer::load(apart.path());
  EXPECT_EQ(a.vocabulary_size(), b.vocabulary_size());
  for (const char* text : {"Hello world", " it's <mask> 12345 \u00E9\u4E2D\U0001F600", "x\n\n  y </s>", ""}) {
    const Encoding one = a.tokenize(text, "pair"), two = b.tokenize(text, "pair");
    EXPECT_TRUE(one.ids == two.ids && one.offsets == two.offsets && one.word_ids == two.word_ids) << text;
    EXPECT_EQ(a.decode(one.ids, false), b.decode(two.ids, false));
  }
}

}  // namespace
}  // namespace bert
