// Which file of a directory decides what, through Tokenizer::load.
#include "tokenizer/loader.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

using test::error_of;
using test::TemporaryDirectory;

constexpr char kLines[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhello\nHello\n##s\n";

std::string json_file(const char* normalizer, const char* added = "[]") {
  return std::string(R"({"version": "1.0", "added_tokens": )") + added + R"(, "normalizer": )" + normalizer +
         R"(, "pre_tokenizer": {"type": "BertPreTokenizer"},
             "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
             "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
             "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                       "max_input_chars_per_word": 100,
                       "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4, "hello": 5, "Hello": 6, "##s": 7}}})";
}
constexpr char kUncasedJson[] = R"({"type": "BertNormalizer", "lowercase": true})";
constexpr char kCasedJson[] = R"({"type": "BertNormalizer", "lowercase": false})";

std::vector<int32_t> ids(const Tokenizer& tokenizer, std::string_view text) {
  return tokenizer.tokenize(text, {.add_special_tokens = false}).ids;
}

TEST(Loader, LowersWithoutAConfigurationAndSaysSo) {
  const Tokenizer tokenizer = Tokenizer::from_vocabulary(kLines, "");
  EXPECT_EQ(ids(tokenizer, "Hello"), (std::vector<int32_t>{5}));
  ASSERT_EQ(tokenizer.notices().size(), 1u);
  EXPECT_EQ(tokenizer.notices()[0], "no 'tokenizer_config.json': the text is lower-cased, as the reference does");
}

TEST(Loader, LetsTheCallerDecideWhereNoFileDoes) {
  const Tokenizer tokenizer = Tokenizer::from_vocabulary(kLines, "", {.lowercase = false});
  EXPECT_EQ(ids(tokenizer, "Hello"), (std::vector<int32_t>{6}));
  EXPECT_TRUE(tokenizer.notices().empty());
}

TEST(Loader, TakesDoLowerCaseAndRefusesACallerWhoContradicts) {
  const char* config = R"({"do_lower_case": false})";
  EXPECT_EQ(ids(Tokenizer::from_vocabulary(kLines, config), "Hello"), (std::vector<int32_t>{6}));
  EXPECT_EQ(
      error_of(ErrorCode::kInvalidArgument, [&] { Tokenizer::from_vocabulary(kLines, config, {.lowercase = true}); }),
      "lower case was asked for, but 'tokenizer_config.json' says do_lower_case false");
}

TEST(Loader, PrefersTokenizerJsonOverTheVocabulary) {
  const TemporaryDirectory directory;
  directory.write("vocab.txt", "nothing");
  directory.write("tokenizer.json", json_file(kCasedJson));
  EXPECT_EQ(ids(Tokenizer::load(directory.path()), "Hello hellos"), (std::vector<int32_t>{6, 5, 7}));
}

TEST(Loader, RefusesAConfigurationThatContradictsTokenizerJson) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", json_file(kCasedJson));
  directory.write("tokenizer_config.json", R"({"do_lower_case": true})");
  EXPECT_EQ(
      error_of(ErrorCode::kInvalidFile, [&] { Tokenizer::load(directory.path()); }),
      "'tokenizer_config.json' says do_lower_case true, 'tokenizer.json' lowercase false: expected the same, or a "
      "choice (tokenizer_config_wins)");
  const Tokenizer tokenizer = Tokenizer::load(directory.path(), {.tokenizer_config_wins = true});
  EXPECT_EQ(ids(tokenizer, "Hello H\xC3\xA9llo"), (std::vector<int32_t>{5, 5})) << "accents follow lower case";
  ASSERT_EQ(tokenizer.notices().size(), 1u);
  EXPECT_EQ(tokenizer.notices()[0],
            "'tokenizer_config.json' says do_lower_case true, 'tokenizer.json' lowercase false; the first holds");
}

TEST(Loader, AcceptsAConfigurationThatAgreesOrSaysNull) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", json_file(kUncasedJson));
  directory.write("tokenizer_config.json",
                  R"({"do_lower_case": true, "strip_accents": null, "tokenize_chinese_chars": true})");
  EXPECT_TRUE(Tokenizer::load(directory.path()).notices().empty());
}

TEST(Loader, RefusesACallerWhoContradictsTokenizerJson) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", json_file(kUncasedJson));
  EXPECT_EQ(error_of(ErrorCode::kInvalidArgument, [&] { Tokenizer::load(directory.path(), {.lowercase = false}); }),
            "cased text was asked for, but 'tokenizer.json' says lowercase true");
}

TEST(Loader, ReadsSpecialTokensFromTheOlderFiles) {
  const TemporaryDirectory directory;
  directory.write("vocab.txt", kLines);
  directory.write("tokenizer_config.json", R"({"do_lower_case": true, "cls_token": "[MASK]"})");
  directory.write("special_tokens_map.json", R"({"cls_token": "[SEP]"})");
  directory.write("added_tokens.json", R"({"[ENT]": 8})");
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  EXPECT_EQ(tokenizer.tokenize("[ent] hello").ids, (std::vector<int32_t>{3, 8, 5, 3}));
  EXPECT_EQ(tokenizer.id("[ENT]"), 8);
  EXPECT_EQ(tokenizer.token(8), "[ENT]");
  EXPECT_EQ(tokenizer.vocabulary_size(), 9u);
}

TEST(Loader, LeavesTheOlderFilesAloneWhereTheConfigurationListsAddedTokens) {
  const TemporaryDirectory directory;
  directory.write("vocab.txt", kLines);
  directory.write("tokenizer_config.json",
                  R"({"do_lower_case": true, "added_tokens_decoder": {"2": {"content": "[CLS]", "special": true}}})");
  directory.write("special_tokens_map.json", R"({"cls_token": "[SEP]"})");
  EXPECT_EQ(Tokenizer::load(directory.path()).tokenize("").ids, (std::vector<int32_t>{2, 3}));
}

TEST(Loader, AppendsASpecialTokenThatTheVocabularyLacksAndSaysSo) {
  const Tokenizer tokenizer = Tokenizer::from_vocabulary("[PAD]\n[UNK]\n[CLS]\n[SEP]\n", R"({"do_lower_case": true})");
  EXPECT_EQ(tokenizer.id("[MASK]"), 4);
  ASSERT_EQ(tokenizer.notices().size(), 1u);
  EXPECT_EQ(tokenizer.notices()[0], "special token '[MASK]' is not in 'vocab.txt' and has id 4 past its end");
}

TEST(Loader, RefusesAVocabularyWithoutTheUnknownToken) {
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile, [] { Tokenizer::from_vocabulary("[CLS]\n[SEP]\n", ""); }),
            "'vocab.txt': the unknown token '[UNK]' is not in the vocabulary");
}

TEST(Loader, RefusesClassesThatCutOtherwise) {
  EXPECT_EQ(
      error_of(ErrorCode::kUnsupported,
               [] { Tokenizer::from_vocabulary(kLines, R"({"tokenizer_class": "BertJapaneseTokenizer"})"); }),
      "'tokenizer_config.json': tokenizer_class 'BertJapaneseTokenizer' is not supported, expected BertTokenizer or "
      "one that works the same");
}

TEST(Loader, TakesAModelMaxLengthBelowAMillion) {
  const auto limit = [](const char* config) { return Tokenizer::from_vocabulary(kLines, config).model_max_length(); };
  EXPECT_EQ(limit(R"({"model_max_length": 512})"), 512u);
  EXPECT_EQ(limit(R"({"model_max_length": 1000000000000000019884624838656})"), std::nullopt);
  EXPECT_EQ(limit("{}"), std::nullopt);
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile, [&] { limit(R"({"model_max_length": 0})"); }),
            "'tokenizer_config.json': model_max_length: found 0, expected at least 1");
}

TEST(Loader, SaysWhatIsLeftToTheCaller) {
  const Tokenizer tokenizer = Tokenizer::from_vocabulary(
      kLines, R"({"do_lower_case": true, "truncation_side": "left", "split_special_tokens": true})");
  EXPECT_EQ(tokenizer.notices(),
            (std::vector<std::string>{
                "'tokenizer_config.json': truncation_side left is not done unless it is asked for",
                "'tokenizer_config.json': split_special_tokens true is not done unless it is asked for"}));
  EXPECT_TRUE(
      Tokenizer::from_vocabulary(kLines, R"({"do_lower_case": true, "truncation_side": "right"})").notices().empty());
}

TEST(Loader, TellsOfListedIdsThatDoNotHold) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", json_file(kUncasedJson, R"([{"id": 99, "content": "[CLS]", "special": true}])"));
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  EXPECT_EQ(tokenizer.id("[CLS]"), 2);
  ASSERT_EQ(tokenizer.notices().size(), 1u);
  EXPECT_EQ(tokenizer.notices()[0], "added token '[CLS]' is listed with id 99, but has 2, as in the reference");
}

TEST(Loader, RefusesAddedTokensThatOnlyTheConfigurationHas) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", json_file(kUncasedJson));
  directory.write("tokenizer_config.json", R"({"added_tokens_decoder": {"8": {"content": "[ENT]", "special": true}}})");
  EXPECT_EQ(
      error_of(ErrorCode::kInvalidFile, [&] { Tokenizer::load(directory.path()); }),
      "'tokenizer_config.json': added_tokens_decoder has '[ENT]', which 'tokenizer.json' does not have: expected the "
      "same, or a choice (tokenizer_config_wins)");
  EXPECT_EQ(ids(Tokenizer::load(directory.path(), {.tokenizer_config_wins = true}), "[ENT]"),
            (std::vector<int32_t>{8}));
}

TEST(Loader, PadsWithTheTokenThatTheFilesName) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", json_file(kUncasedJson));
  directory.write("tokenizer_config.json", R"({"pad_token": "[MASK]"})");
  const Encoding encoding = Tokenizer::load(directory.path()).tokenize("hello", {.padding = {.length = 4}});
  EXPECT_EQ(encoding.ids, (std::vector<int32_t>{2, 5, 3, 4}));
}

constexpr char kExpected[] = "tokenizer.json, vocab.txt, vocab.json with merges.txt, or a SentencePiece file";

TEST(Loader, NamesWhatADirectoryLacks) {
  const TemporaryDirectory directory;
  const std::string path = directory.path().string();
  EXPECT_EQ(error_of(ErrorCode::kNotFound, [&] { Tokenizer::load(directory.path()); }),
            "'" + path + "': no tokenizer, expected " + kExpected);
  directory.write("merges.txt", "");
  EXPECT_EQ(error_of(ErrorCode::kNotFound, [&] { Tokenizer::load(directory.path()); }),
            "'" + path + "': no vocab.json, expected it beside merges.txt");
  EXPECT_EQ(error_of(ErrorCode::kNotFound, [&] { Tokenizer::load(directory.path() / "absent"); }),
            "'" + path + "/absent': not a directory, expected one with " + kExpected);
}

TEST(Loader, WantsToKnowWhoseASentencePieceFileIs) {
  const TemporaryDirectory directory;
  directory.write("spiece.model", "");
  EXPECT_EQ(error_of(ErrorCode::kUnsupported, [&] { Tokenizer::load(directory.path()); }),
            "'" + directory.path().string() +
                "/spiece.model': how its ids count differs by model, and no tokenizer_class in 'tokenizer_config.json' "
                "or model_type in 'config.json' says which");
}

// By hand from the files' own definitions.
TEST(Loader, ReadsByteLevelBpeFromItsTwoFiles) {
  const TemporaryDirectory directory;
  directory.write("vocab.json",
                  R"({"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "a": 4, "b": 5, "\u0120": 6, "ab": 7, "\u0120ab": 8,
                      "<mask>": 9})");
  directory.write("merges.txt", "#version: 0.2\na b\n\u0120 ab\n");
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  const Encoding pair = tokenizer.tokenize("ab ab <mask>", "b");
  EXPECT_EQ(pair.ids, (std::vector<int32_t>{0, 7, 8, 9, 2, 2, 5, 2}));
  EXPECT_EQ(pair.type_ids, std::vector<int32_t>(8, 0));
  EXPECT_EQ(pair.offsets[2], (Offset{3, 5}));
  EXPECT_EQ(pair.offsets[3], (Offset{6, 12}));
  EXPECT_EQ(tokenizer.decode(pair.ids, true), "ab abb");
  EXPECT_EQ(tokenizer.tokenize("a", {.padding = {.length = 4}}).ids, (std::vector<int32_t>{0, 4, 2, 1}));

  directory.write("tokenizer_config.json", R"({"add_prefix_space": true})");
  EXPECT_EQ(Tokenizer::load(directory.path()).tokenize("ab").ids, (std::vector<int32_t>{0, 8, 2}));
  directory.write("merges.txt", "#version: 0.2\na b c\n");
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile, [&] { Tokenizer::load(directory.path()); }),
            "'merges.txt': line 2: found 'a b c', expected two tokens");
}

// The small files may name a family other than the usual one of the files that would be read first.
TEST(Loader, TakesFilesSpecialTokensAndTemplateFromTheNamedFamily) {
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

// A byte-level tokenizer.json and the two files it was made from give the same, token by token.
TEST(Loader, ReadsRealByteLevelFilesEqually) {
  BERT_TEST_DATA_OR_SKIP(data, "tokenizer_json");
  const TemporaryDirectory together, apart;
  together.write("tokenizer.json", test::read_file(data / "roberta-base.tokenizer.json"));
  apart.write("vocab.json", test::read_file(data / "roberta-base.vocab.json"));
  apart.write("merges.txt", test::read_file(data / "roberta-base.merges.txt"));
  const Tokenizer a = Tokenizer::load(together.path()), b = Tokenizer::load(apart.path());
  EXPECT_EQ(a.vocabulary_size(), b.vocabulary_size());
  for (const char* text : {"Hello world", " it's <mask> 12345 \u00E9\u4E2D\U0001F600", "x\n\n  y </s>", ""}) {
    const Encoding one = a.tokenize(text, "pair"), two = b.tokenize(text, "pair");
    EXPECT_TRUE(one.ids == two.ids && one.offsets == two.offsets && one.word_ids == two.word_ids) << text;
    EXPECT_EQ(a.decode(one.ids, false), b.decode(two.ids, false));
  }
}

TEST(Loader, AsksWhereTheTwoFilesDifferOnThePrefixSpace) {
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

TEST(Loader, OpensNoPathThatStandsInAFile) {
  const TemporaryDirectory directory;
  directory.write("tokenizer_config.json", R"({"vocab_file": "other.txt", "tokenizer_file": "other.json"})");
  directory.write("other.txt", kLines);
  directory.write("other.json", json_file(kUncasedJson));
  EXPECT_NE(error_of(ErrorCode::kNotFound, [&] { Tokenizer::load(directory.path()); }), "");
}

TEST(Loader, RefusesADirectoryInPlaceOfAFile) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path() / "vocab.txt");
  EXPECT_NE(error_of(ErrorCode::kInvalidFile, [&] { Tokenizer::load(directory.path()); }), "");
}

TEST(Loader, ReadsRealFilesEqualToTheirVocabularies) {
  BERT_TEST_DATA_OR_SKIP(path, "tokenizer_json");
  const std::string text = test::read_file(test::find_test_data("text/udhr_sample.tsv"));
  const struct {
    const char* json;
    const char* vocabulary;
    bool lowercase;
  } pairs[] = {{"all-MiniLM-L6-v2.tokenizer.json", "bert-base-uncased-vocab.txt", true},
               {"bert-uncased.gte-small.tokenizer.json", "bert-base-uncased-vocab.txt", true},
               {"bert-base-uncased.built.tokenizer.json", "bert-base-uncased-vocab.txt", true},
               {"bert-base-cased.built.tokenizer.json", "bert-base-cased-vocab.txt", false},
               {"bert-base-chinese.built.tokenizer.json", "bert-base-chinese-vocab.txt", true},
               {"bert-base-multilingual.built.tokenizer.json", "bert-base-multilingual-cased-vocab.txt", false}};
  for (const auto& pair : pairs) {
    const TemporaryDirectory directory;
    directory.write("tokenizer.json", test::read_file(path / pair.json));
    const Tokenizer from_json = Tokenizer::load(directory.path());
    const Tokenizer from_lines =
        Tokenizer::from_vocabulary(test::read_file(test::find_test_data(std::string("vocab/") + pair.vocabulary)), "",
                                   {.lowercase = pair.lowercase});
    const Encoding a = from_json.tokenize(text, "[MASK] b"), b = from_lines.tokenize(text, "[MASK] b");
    EXPECT_TRUE(a.ids == b.ids && a.offsets == b.offsets && a.type_ids == b.type_ids && a.word_ids == b.word_ids)
        << pair.json;
    EXPECT_EQ(from_json.vocabulary_size(), from_lines.vocabulary_size());
    EXPECT_EQ(from_json.decode(a.ids, true), from_lines.decode(b.ids, true)) << pair.json;
  }
}

}  // namespace
}  // namespace bert
