// Tests which files of a directory Tokenizer::load uses.
#include "tokenizer/files/loader.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"
#include "tests/tokenizer/files/loader_files.h"

namespace bert {
namespace {

using test::error_of;
using test::TemporaryDirectory;

TEST(Loader, PrefersTokenizerJsonOverTheVocabulary) {
  const TemporaryDirectory directory;
  directory.write("vocab.txt", "nothing");
  directory.write("tokenizer.json", test::json_file(test::kCasedJson));
  EXPECT_EQ(test::ids(Tokenizer::load(directory.path()), "Hello hellos"), (std::vector<int32_t>{6, 5, 7}));
}

// The expected ids and offsets are those of tokenizers 0.23.3 with Lowercase as the first normalizer, where
// sentence-transformers 6.2 puts it.
TEST(Loader, PutsLowerCaseBeforeANormalizerThatDoesNotListIt) {
  const TemporaryDirectory directory;
  const auto load = [&](const char* normalizer, bool first) {
    directory.write("tokenizer.json", test::json_file(normalizer, R"([{"id": 8, "content": "World", "normalized": true,
        "single_word": false, "lstrip": false, "rstrip": false, "special": false}])"));
    return Tokenizer::load(directory.path(), {.lowercase_first = first});
  };
  const Tokenizer cased = load(test::kCasedJson, true);
  const Encoding encoding = cased.tokenize("Hellos HELLO \u039F\u03A3 World world", {.add_special_tokens = false});
  EXPECT_EQ(encoding.ids, (std::vector<int32_t>{5, 7, 5, 1, 8, 8})) << "the added token is lower-cased too";
  EXPECT_EQ(encoding.offsets, (std::vector<Offset>{{0, 5}, {5, 6}, {7, 12}, {13, 17}, {18, 23}, {24, 29}}));
  EXPECT_EQ(cased.notices().back(),
            "do_lower_case true of the model's Transformer module: its texts are lower-cased first");
  EXPECT_EQ(test::ids(load(test::kCasedJson, false), "Hello World world"), (std::vector<int32_t>{6, 8, 1}));
  EXPECT_EQ(test::ids(load("null", true), "HELLO"), (std::vector<int32_t>{5}));
  EXPECT_TRUE(load(test::kUncasedJson, true).notices().empty());
  const std::string parts = R"("normalizers": [{"type": "Replace", "pattern": {"String": "Hello"}, "content": "[UNK]"},
                                               {"type": "Lowercase"}]})";
  const std::string sequence = R"({"type": "Sequence", )" + parts;
  const std::string nested = R"({"type": "Sequence", "normalizers": [)" + sequence + "]}";
  EXPECT_EQ(test::ids(load(sequence.c_str(), true), "Hello"), (std::vector<int32_t>{1, 1, 1})) << "it is listed";
  EXPECT_EQ(test::ids(load(nested.c_str(), true), "Hello"), (std::vector<int32_t>{5}))
      << "a list in a list is not seen";
}

TEST(Loader, RefusesCasedTextsOfAModuleThatLowerCasesThem) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", test::json_file(test::kCasedJson));
  EXPECT_EQ(error_of(ErrorCode::kInvalidArgument,
                     [&] { Tokenizer::load(directory.path(), {.lowercase = false, .lowercase_first = true}); }),
            "cased text was requested, but the model's Transformer module says do_lower_case true");
  EXPECT_EQ(test::ids(Tokenizer::load(directory.path(), {.lowercase = true, .lowercase_first = true}), "HELLO"),
            (std::vector<int32_t>{5}));
}

TEST(Loader, NamesWhatADirectoryLacks) {
  const TemporaryDirectory directory;
  const std::string path = directory.path().string();
  EXPECT_EQ(error_of(ErrorCode::kNotFound, [&] { Tokenizer::load(directory.path()); }),
            "'" + path + "': no tokenizer, expected " + kExpectedTokenizerFiles);
  directory.write("merges.txt", "");
  EXPECT_EQ(error_of(ErrorCode::kNotFound, [&] { Tokenizer::load(directory.path()); }),
            "'" + path + "': no vocab.json, expected it beside merges.txt");
  EXPECT_EQ(error_of(ErrorCode::kNotFound, [&] { Tokenizer::load(directory.path() / "absent"); }),
            "'" + (directory.path() / "absent").string() + "': not a directory, expected one with " +
                kExpectedTokenizerFiles);
}

TEST(Loader, WantsToKnowWhoseASentencePieceFileIs) {
  const TemporaryDirectory directory;
  directory.write("spiece.model", "x");
  EXPECT_EQ(error_of(ErrorCode::kUnsupported, [&] { Tokenizer::load(directory.path()); }),
            "'" + (directory.path() / "spiece.model").string() +
                "': how its ids count differs by model, and no tokenizer_class in 'tokenizer_config.json' "
                "or model_type in 'config.json' says which");
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
