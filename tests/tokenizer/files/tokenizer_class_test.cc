// Tests which tokenizer class Tokenizer::load finds in a directory, and which settings the class replaces. The expected
// ids, spans and texts are those of transformers 5.23 on the same files.
#include "tokenizer/files/tokenizer_class.h"

#include <gtest/gtest.h>

#include "bert/tokenizer.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

using Ids = std::vector<int32_t>;

constexpr char kWordPieceFile[] = R"({"version": "1.0", "added_tokens": [],
    "normalizer": {"type": "BertNormalizer", "lowercase": true},
    "pre_tokenizer": {"type": "WhitespaceSplit"},
    "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
    "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": false},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 3,
              "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4, "hello": 5, ".": 6}}})";

constexpr char kBpeFile[] = R"({"version": "1.0", "added_tokens": [], "normalizer": {"type": "Lowercase"},
    "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
    "model": {"type": "BPE", "unk_token": "<unk>", "fuse_unk": true, "ignore_merges": true, "merges": [],
              "vocab": {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "<mask>": 4, "a": 5, "A": 6, "\u0120": 7, "aA": 8}}})";

// The template of this file has no separator.
constexpr char kUnigramFile[] = R"({"version": "1.0", "added_tokens": [], "normalizer": null,
    "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always"},
    "post_processor": {"type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]}}},
    "decoder": null,
    "model": {"type": "Unigram", "unk_id": 0,
              "vocab": [["<pad>", 0], ["<unk>", 0], ["[CLS]", 0], ["[SEP]", 0], ["[MASK]", 0], ["\u2581a", -1]]}})";

Tokenizer load_beside(const char* tokenizer_json, const char* config, const char* tokenizer_config = "{}") {
  const test::TemporaryDirectory directory;
  directory.write("tokenizer.json", tokenizer_json);
  directory.write("config.json", config);
  directory.write("tokenizer_config.json", tokenizer_config);
  return Tokenizer::load(directory.path());
}

bool has_notice(const Tokenizer& tokenizer, std::string_view part) {
  for (const std::string& notice : tokenizer.notices()) {
    if (notice.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(TokenizerClass, WordPieceReplacesAllButTheVocabulary) {
  for (const char* name : {"BertTokenizer", "MobileBertTokenizerFast"}) {
    const Tokenizer tokenizer =
        load_beside(kWordPieceFile, "{}", (R"({"tokenizer_class": ")" + std::string(name) + "\"}").c_str());
    const Ids ids = tokenizer.tokenize("hello.").ids;
    EXPECT_EQ(ids, (Ids{2, 5, 6, 3})) << name;
    EXPECT_EQ(tokenizer.decode(ids, false), "[CLS] hello. [SEP]");
    EXPECT_EQ(tokenizer.notices(),
              (std::vector<std::string>{
                  "'tokenizer.json': its pre-tokenizer is replaced by that of the reference's tokenizer class",
                  "'tokenizer.json': its decoder is replaced by that of the reference's tokenizer class",
                  "'tokenizer.json': max_input_chars_per_word is replaced by 100, as the reference's tokenizer class "
                  "does"}));
  }
  const std::string error = test::error_of(ErrorCode::kInvalidFile, [] {
    load_beside(kWordPieceFile, R"({"model_type": "bert"})", R"({"unk_token": "<unk>"})");
  });
  EXPECT_TRUE(error.ends_with("/tokenizer_config.json': unk_token: found '<unk>', expected a token of the vocabulary"))
      << error;
}

TEST(TokenizerClass, ComesFromEitherConfigurationThenFromTheModelType) {
  const auto ids = [](const char* config) { return load_beside(kWordPieceFile, config).tokenize("hello.").ids; };
  EXPECT_EQ(ids(R"({"model_type": "eurobert", "tokenizer_class": "BertTokenizer"})"), (Ids{2, 5, 6, 3}));
  EXPECT_EQ(ids(R"({"model_type": "electra"})"), (Ids{2, 5, 6, 3}));
  EXPECT_EQ(ids(R"({"model_type": "eurobert"})"), (Ids{2, 1, 3})) << "a model type without a class";
  EXPECT_EQ(ids(R"({"model_type": "bert", "tokenizer_class": "PreTrainedTokenizerFast"})"), (Ids{2, 1, 3}));
  const Tokenizer unknown = load_beside(kWordPieceFile, R"({"model_type": "bert", "tokenizer_class": "OwnTokenizer"})");
  EXPECT_EQ(unknown.tokenize("hello.").ids, (Ids{2, 1, 3}));
  ASSERT_EQ(unknown.notices().size(), 1u);
  EXPECT_TRUE(
      unknown.notices()[0].ends_with("/config.json': tokenizer_class 'OwnTokenizer' is not known; "
                                     "'tokenizer.json' is taken as it is"))
      << unknown.notices()[0];
}

TEST(TokenizerClass, ByteLevelReplacesAllButVocabularyAndMerges) {
  const Tokenizer tokenizer = load_beside(kBpeFile, R"({"model_type": "roberta"})");
  const Encoding encoding = tokenizer.tokenize("aA a");
  EXPECT_EQ(encoding.ids, (Ids{0, 5, 6, 7, 5, 2}));
  EXPECT_EQ(encoding.offsets, (std::vector<Offset>{{0, 0}, {0, 1}, {1, 2}, {3, 3}, {3, 4}, {0, 0}}));
  for (const char* part : {"unk_token", "fuse_unk", "ignore_merges", "normalizer", "pre-tokenizer", "decoder"}) {
    EXPECT_TRUE(has_notice(tokenizer, part)) << part;
  }
  EXPECT_EQ(load_beside(kBpeFile, R"({"model_type": "modernbert"})", R"({"tokenizer_class": "RobertaTokenizer"})")
                .tokenize("aA a")
                .ids,
            (Ids{5, 5, 5}))
      << "this model type's tokenizer.json is always taken as it is";
}

// transformers 5.24 ignores the normalizer and the pre-tokenizer in the file for these classes, and makes its own.
TEST(TokenizerClass, IsToldWhereTheFileIsReadAsItIsThoughTheReferenceRebuildsIt) {
  const auto notice = [](const char* parts, const char* name) {
    return std::vector<std::string>{"'tokenizer.json': its " + std::string(parts) +
                                    " used; transformers 5 makes those of " + name + " itself"};
  };
  const char* const kBoth = "normalizer and pre-tokenizer are";
  const auto notices = [](const char* file, const char* config, const char* tokenizer_config = "{}") {
    return load_beside(file, config, tokenizer_config).notices();
  };
  EXPECT_EQ(notices(kBpeFile, "{}", R"({"tokenizer_class": "Qwen2Tokenizer"})"), notice(kBoth, "Qwen2Tokenizer"));
  EXPECT_EQ(notices(kBpeFile, "{}", R"({"tokenizer_class": "Qwen2TokenizerFast"})"), notice(kBoth, "Qwen2Tokenizer"));
  EXPECT_EQ(notices(kBpeFile, R"({"model_type": "qwen3"})"), notice(kBoth, "Qwen2Tokenizer"));
  EXPECT_EQ(notices(kBpeFile, R"({"model_type": "gemma3_text"})"), notice(kBoth, "GemmaTokenizer"));
  EXPECT_TRUE(notices(kBpeFile, R"({"model_type": "qwen3", "tokenizer_class": "PreTrainedTokenizerFast"})").empty());
  EXPECT_TRUE(notices(kBpeFile, R"({"model_type": "bidirectional_pplx_qwen3"})").empty()) << "no class is known for it";
  const std::string start = R"({"version": "1.0", "added_tokens": [], "normalizer": )";
  const std::string end = R"(, "model": {"type": "BPE", "merges": [], "vocab": {"a": 0}}})";
  const std::string words = R"(, "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Split",
      "behavior": "Isolated", "invert": false, "pattern": {"Regex": "(?i:'s|'t|'re|'ve|'m|'ll|'d)|)"
                            R"([^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|)"
                            R"(\\s+(?!\\S)|\\s+"}},
      {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}]})";
  const std::string same = start + R"({"type": "NFC"})" + words + end;
  const std::string other = start + "null" + words + end;
  const auto has = [&](const std::string& file, const char* part) {
    return has_notice(load_beside(file.c_str(), R"({"model_type": "qwen3"})"), part);
  };
  EXPECT_FALSE(has(same, "transformers 5 makes")) << "the class would make the same";
  EXPECT_TRUE(has(other, "its normalizer is used; transformers 5 makes"));
}

// The expected ids are those of transformers 5.16, where the class adds the prefix space to each part that the
// expression cuts off.
TEST(TokenizerClass, OfQwen2HasThePrefixSpaceOfItsConfiguration) {
  const auto ids = [](bool of_file, const char* tokenizer_config) {
    const std::string file =
        R"({"version": "1.0", "normalizer": {"type": "NFC"}, "pre_tokenizer": {"type": "Sequence",
            "pretokenizers": [{"type": "Split", "behavior": "Isolated", "invert": false,
                               "pattern": {"Regex": "(?i:'s|'t|'re|'ve|'m|'ll|'d)|)"
        R"([^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|)"
        R"(\\s+(?!\\S)|\\s+"}}, {"type": "ByteLevel", "trim_offsets": true, "use_regex": false,
                              "add_prefix_space": )" +
        std::string(of_file ? "true" : "false") +
        R"(}]}, "model": {"type": "BPE", "merges": ["\u0120 a"],
                          "vocab": {"<|endoftext|>": 0, "a": 1, "b": 2, "\u0120": 3, "\u0120a": 4, "1": 5}}})";
    return load_beside(file.c_str(), R"({"model_type": "qwen3"})", tokenizer_config).tokenize("a1ab b").ids;
  };
  const Ids plain = {1, 5, 1, 2, 3, 2}, spaced = {4, 3, 5, 4, 2, 3, 2};
  for (const bool of_file : {false, true}) {
    EXPECT_EQ(ids(of_file, "{}"), plain);
    EXPECT_EQ(ids(of_file, R"({"add_prefix_space": false})"), plain);
    EXPECT_EQ(ids(of_file, R"({"add_prefix_space": true})"), spaced);
  }
  EXPECT_EQ(ids(true, R"({"tokenizer_class": "PreTrainedTokenizerFast"})"), spaced) << "the file as it is";
}

// The expected values are those of transformers 5.24.
TEST(TokenizerClass, OfLlamaBigBirdAndMBartMakesNormalizerAndPreTokenizer) {
  const std::string start = R"({"version": "1.0", "added_tokens": [], "post_processor": null, "decoder": null,
      "normalizer": {"type": "Replace", "pattern": {"String": "x"}, "content": "a"},
      "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "never", "split": false},
      "model": )";
  const std::string bpe = start + R"({"type": "BPE", "unk_token": "<unk>", "byte_fallback": true,
      "merges": ["\u2581 a"], "vocab": {"<unk>": 0, "\u2581": 1, "a": 2, "\u2581a": 3, "x": 4}}})";
  const std::string unigram = start + R"({"type": "Unigram", "unk_id": 0,
      "vocab": [["<unk>", 0], ["\u2581", -3], ["a", -2], ["\u2581a", -2.5], ["x", -3]]}})";
  const auto ids = [](const std::string& file, const std::string& tokenizer_config) {
    const Tokenizer tokenizer = load_beside(file.c_str(), "{}", tokenizer_config.c_str());
    std::vector<Ids> all;
    for (const char* text : {"a  x", "  a", "xa"}) {
      all.push_back(tokenizer.tokenize(text, {.add_special_tokens = false}).ids);
    }
    return all;
  };
  using All = std::vector<Ids>;
  EXPECT_EQ(ids(bpe, R"({"tokenizer_class": "LlamaTokenizer"})"), (All{{3, 1, 1, 4}, {1, 3}, {1, 4, 2}}));
  EXPECT_EQ(ids(bpe, R"({"tokenizer_class": "LlamaTokenizerFast", "add_prefix_space": false})"),
            (All{{2, 1, 1, 4}, {1, 3}, {4, 2}}));
  EXPECT_EQ(ids(unigram, R"({"tokenizer_class": "BigBirdTokenizer"})"), (All{{3, 1, 4}, {3}, {1, 4, 2}}));
  EXPECT_EQ(ids(unigram, R"({"tokenizer_class": "BigBirdTokenizer", "add_prefix_space": false})"),
            (All{{2, 1, 4}, {3}, {4, 2}}));
  EXPECT_EQ(ids(unigram, R"({"tokenizer_class": "MBartTokenizer"})"), (All{{3, 1, 4}, {3}, {1, 4, 2}}));
  const std::string bytes = R"({"version": "1.0", "added_tokens": [], "normalizer": {"type": "Lowercase"},
      "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
      "post_processor": null, "decoder": null,
      "model": {"type": "BPE", "merges": [], "vocab": {"a": 0}}})";
  EXPECT_EQ(load_beside(bytes.c_str(), "{}", R"({"tokenizer_class": "LlamaTokenizer"})").tokenize("A").ids, (Ids{0}))
      << "the reference takes a file with ByteLevel as it is";
}

// The class of transformers 5.16 reads each score as the nearest double, as Python does; tokenizers does not.
TEST(TokenizerClass, UnigramHasTheNearestScores) {
  constexpr char kFile[] = R"({"version": "1.0", "added_tokens": [], "normalizer": null,
      "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always"},
      "post_processor": null, "decoder": null,
      "model": {"type": "Unigram", "unk_id": 3,
                "vocab": [["<s>", 0], ["<pad>", 0], ["</s>", 0], ["<unk>", 0], ["\u2581", -1],
                          ["\u00e1", -4.6697251027346468], ["\u00e1\u00e1", -9.3394502054692942750], ["<mask>", 0]]}})";
  const auto ids = [&](const char* name) {
    return load_beside(kFile, "{}", (R"({"tokenizer_class": ")" + std::string(name) + "\"}").c_str())
        .tokenize("ááááááá", {.add_special_tokens = false})
        .ids;
  };
  EXPECT_EQ(ids("XLMRobertaTokenizer"), (Ids{4, 5, 6, 6, 5, 5}));
  EXPECT_EQ(ids("PreTrainedTokenizerFast"), (Ids{4, 5, 6, 5, 5, 6}));
}

TEST(TokenizerClass, UnigramHasTheClassesUnknownTokenAndTemplate) {
  const auto ids = [](const char* model_type, const char* tokenizer_config) {
    return load_beside(kUnigramFile, (R"({"model_type": ")" + std::string(model_type) + "\"}").c_str(),
                       tokenizer_config)
        .tokenize("a b")
        .ids;
  };
  EXPECT_EQ(ids("albert", "{}"), (Ids{2, 5, 1})) << "id 1, and the file's template";
  EXPECT_EQ(ids("deberta-v2", R"({"unk_token": "<unk>"})"), (Ids{2, 5, 1, 3})) << "the token, whose score is 0";
  EXPECT_EQ(ids("deberta-v2", R"({"unk_token": "\u2581a", "unk_id": 3})"), (Ids{2, 5, 3, 3})) << "unk_id";
  const char kEnds[] = R"({"bos_token": "[CLS]", "eos_token": "[SEP]"})";
  EXPECT_EQ(ids("xlm-roberta", kEnds), (Ids{2, 5, 3, 3})) << "id 3; the template of beginning and end";
  EXPECT_EQ(ids("camembert", kEnds), (Ids{2, 5, 1, 3})) << "the id of '<unk>'";
}

}  // namespace
}  // namespace bert
