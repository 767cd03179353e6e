#include "tokenizer/files/tokenizer_json.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/text/tokenizer_families.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

// Returns a small valid file. Tests change one part of it.
nlohmann::json small_file() {
  return nlohmann::json::parse(R"({
    "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
    "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null,
                   "lowercase": true},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
    "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 100, "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "a": 3}}})");
}

TokenizerJson read(const nlohmann::json& json) {
  return read_tokenizer_json(json.dump(), "tokenizer.json", tokenizer_families());
}

TokenizerJson read_with(const char* key, const char* value) {
  nlohmann::json json = small_file();
  json[key] = nlohmann::json::parse(value);
  return read(json);
}

std::string unsupported(const char* key, const char* value) {
  return test::error_of(ErrorCode::kUnsupported, [&] { read_with(key, value); });
}

std::string invalid(const char* key, const char* value) {
  return test::error_of(ErrorCode::kInvalidFile, [&] { read_with(key, value); });
}

TEST(TokenizerJson, ReadsABertFile) {
  const TokenizerJson file = read(small_file());
  EXPECT_EQ(file.settings.normalizer, Normalizer(bert_normalizer(true, true, std::nullopt, true)));
  EXPECT_EQ(file.settings.pre_tokenizer, PreTokenizer(kBertPreTokenizer));
  EXPECT_EQ(file.settings.post_processor.pair.size(), 5u);
  EXPECT_EQ(file.settings.post_processor.single[0].id, 1);
  EXPECT_EQ(file.settings.vocabulary.id("a"), 3);
  EXPECT_TRUE(file.bert_normalizer.has_value());
  EXPECT_TRUE(file.settings.notices.empty());
}

TEST(TokenizerJson, StripsAccentsWithLowerCaseUnlessItSaysOtherwise) {
  EXPECT_FALSE(read_with("normalizer", R"({"type": "BertNormalizer", "lowercase": false})")
                   .settings.normalizer.single()
                   ->decompose);
  EXPECT_TRUE(read_with("normalizer", R"({"type": "BertNormalizer", "lowercase": false, "strip_accents": true})")
                  .settings.normalizer.single()
                  ->strip_nonspacing);
}

TEST(TokenizerJson, ReadsSequencesOfNormalizersThatAreOneNormalizer) {
  const BertNormalizer expected = {.decompose = true, .strip_marks = true, .lowercase = true};
  EXPECT_EQ(read_with("normalizer", R"({"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "Lowercase"},
                                        {"type": "StripAccents"}]})")
                .settings.normalizer,
            Normalizer(expected));
  EXPECT_EQ(read_with("normalizer", "null").settings.normalizer, Normalizer());
  EXPECT_EQ(
      read_with("normalizer", R"({"type": "Sequence", "normalizers": [{"type": "StripAccents"}, {"type": "NFD"}]})")
          .settings.normalizer.single(),
      nullptr);
}

TEST(TokenizerJson, ReadsPreTokenizers) {
  EXPECT_EQ(read_with("pre_tokenizer", R"({"type": "WhitespaceSplit"})").settings.pre_tokenizer,
            PreTokenizer(BertSplitRules{.split_spaces = true}));
  EXPECT_EQ(read_with("pre_tokenizer", R"({"type": "Whitespace"})").settings.pre_tokenizer,
            PreTokenizer(BertSplitRules{.split_word_classes = true}));
  EXPECT_EQ(read_with("pre_tokenizer", R"({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
                                           {"type": "Punctuation"}]})")
                .settings.pre_tokenizer,
            PreTokenizer(kBertPreTokenizer));
}

TEST(TokenizerJson, RefusesWhatIsNotImplementedByName) {
  EXPECT_EQ(unsupported("normalizer", R"({"type": "Strange"})"),
            "'tokenizer.json': normalizer 'Strange' is not supported");
  EXPECT_EQ(unsupported("pre_tokenizer", R"({"type": "Strange"})"),
            "'tokenizer.json': pre_tokenizer 'Strange' is not supported");
  EXPECT_EQ(unsupported("post_processor", R"({"type": "Strange"})"),
            "'tokenizer.json': post_processor 'Strange' is not supported");
  EXPECT_EQ(unsupported("decoder", R"({"type": "CTC"})"), "'tokenizer.json': decoder 'CTC' is not supported");
  EXPECT_EQ(unsupported("model", R"({"type": "Morphemes"})"),
            "'tokenizer.json': model 'Morphemes' is not supported, expected WordPiece, BPE, Unigram or WordLevel");
}

// Returns whether the reader accepts a part of the kind. fields: what the kind needs beside its name, as JSON.
bool reads_kind(const char* part, const std::string& kind, const std::string& fields) {
  nlohmann::json json = small_file();
  json[part] = nlohmann::json::parse(R"({"type": ")" + kind + "\"" + (fields.empty() ? "" : ", " + fields) + "}");
  try {
    read(json);
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported) << error.what();
    EXPECT_NE(std::string(error.what()).find("'" + kind + "'"), std::string::npos) << error.what();
    return false;
  }
}

// The lists name every kind that tokenizers 0.23.3 writes into tokenizer.json.
TEST(TokenizerJson, ReadsEachKindOfPartOfTheReferenceButCtc) {
  const std::string text = R"("pattern": {"String": "a"}, "content": "b")";
  const std::string mark = R"("replacement": "\u2581", "prepend_scheme": "always", "split": true)";
  const std::string one = R"("single": [{"Sequence": {"id": "A", "type_id": 0}}], "pair": [{"Sequence":
      {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}], "special_tokens": {})";
  const std::string ends = R"("sep": ["[SEP]", 2], "cls": ["[CLS]", 1])";
  const std::string bytes = R"("add_prefix_space": true, "trim_offsets": true, "use_regex": true)";
  const std::string vocabulary = R"("vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "a": 3}, "unk_token": "[UNK]")";
  struct Part {
    const char* name;
    std::map<std::string, std::string> kinds;
  };
  const std::vector<Part> parts = {
      {"normalizer",
       {{"BertNormalizer", ""},
        {"ByteLevel", ""},
        {"Lowercase", ""},
        {"NFC", ""},
        {"NFD", ""},
        {"NFKC", ""},
        {"NFKD", ""},
        {"Nmt", ""},
        {"Precompiled", R"("precompiled_charsmap": "BAAAAAAAAAA=")"},
        {"Prepend", R"("prepend": "x")"},
        {"Replace", text},
        {"Sequence", R"("normalizers": [{"type": "NFC"}])"},
        {"Strip", R"("strip_left": true, "strip_right": true)"},
        {"StripAccents", ""}}},
      {"pre_tokenizer",
       {{"BertPreTokenizer", ""},
        {"ByteLevel", bytes},
        {"CharDelimiterSplit", R"("delimiter": "x")"},
        {"Digits", R"("individual_digits": true)"},
        {"FixedLength", R"("length": 5)"},
        {"Metaspace", mark},
        {"Punctuation", R"("behavior": "Isolated")"},
        {"Sequence", R"("pretokenizers": [{"type": "Whitespace"}])"},
        {"Split", text + R"(, "behavior": "Removed", "invert": false)"},
        {"UnicodeScripts", ""},
        {"Whitespace", ""},
        {"WhitespaceSplit", ""}}},
      {"model",
       {{"BPE", vocabulary + R"(, "merges": [])"},
        {"Unigram", R"("unk_id": 0, "vocab": [["[UNK]", 0], ["[CLS]", 0], ["[SEP]", 0], ["a", -1]])"},
        {"WordLevel", vocabulary},
        {"WordPiece", vocabulary + R"(, "continuing_subword_prefix": "##", "max_input_chars_per_word": 100)"}}},
      {"post_processor",
       {{"BertProcessing", ends},
        {"ByteLevel", bytes},
        {"RobertaProcessing", ends + R"(, "trim_offsets": true, "add_prefix_space": true)"},
        {"Sequence", R"("processors": [{"type": "ByteLevel"}, {"type": "TemplateProcessing", )" + one + "}]"},
        {"TemplateProcessing", one}}},
      {"decoder",
       {{"BPEDecoder", R"("suffix": "x")"},
        {"ByteFallback", ""},
        {"ByteLevel", bytes},
        {"CTC", R"("pad_token": "[PAD]", "word_delimiter_token": "|", "cleanup": true)"},
        {"Fuse", ""},
        {"Metaspace", mark},
        {"Replace", text},
        {"Sequence", R"("decoders": [{"type": "Fuse"}])"},
        {"Strip", R"("content": " ", "start": 1, "stop": 0)"},
        {"WordPiece", R"("prefix": "##", "cleanup": true)"}}}};
  std::vector<std::string> missing;
  for (const Part& part : parts) {
    for (const auto& [kind, fields] : part.kinds) {
      if (!reads_kind(part.name, kind, fields)) missing.push_back(std::string(part.name) + " " + kind);
    }
  }
  EXPECT_EQ(missing, std::vector<std::string>{"decoder CTC"}) << "which joins the letters of speech recognisers";
}

TEST(TokenizerJson, ReadsATemplateWithItsTypesAndSpecialsOfSeveralIds) {
  const TokenizerJson file = read_with("post_processor", R"({"type": "TemplateProcessing",
      "single": [{"Sequence": {"id": "A", "type_id": 3}}, {"SpecialToken": {"id": "x", "type_id": 1}}],
      "pair": [{"Sequence": {"id": "B", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 1}}],
      "special_tokens": {"x": {"id": "x", "ids": [5, 6], "tokens": ["y", "z"]}}})");
  const auto& single = file.settings.post_processor.single;
  ASSERT_EQ(single.size(), 3u);
  EXPECT_EQ(single[0].type_id, 3);
  EXPECT_EQ(single[2].id, 6);
  EXPECT_EQ(file.settings.post_processor.pair[0].kind, TemplatePiece::Kind::kPair);
}

TEST(TokenizerJson, RefusesATemplateWithoutItsSequences) {
  EXPECT_NE(
      invalid("post_processor", R"({"type": "TemplateProcessing", "single": [], "pair": [], "special_tokens": {}})")
          .find("expected A once and no B"),
      std::string::npos);
  EXPECT_NE(invalid("post_processor",
                    R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x", "type_id": 0}}],
                    "pair": [], "special_tokens": {}})")
                .find("post_processor.special_tokens.x: missing"),
            std::string::npos);
}

TEST(TokenizerJson, RefusesMalformedModels) {
  EXPECT_EQ(
      invalid(
          "model",
          R"({"type": "WordPiece", "vocab": {"a": 1}, "continuing_subword_prefix": "##", "max_input_chars_per_word": 100})"),
      "'tokenizer.json': model.unk_token: missing, expected a string");
  EXPECT_EQ(
      invalid(
          "model",
          R"({"type": "WordPiece", "vocab": {"a": 1}, "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100})"),
      "'tokenizer.json': the unknown token '[UNK]' is not in the vocabulary");
  EXPECT_EQ(
      invalid(
          "model",
          R"({"type": "WordPiece", "vocab": {"a": -1}, "unk_token": "a", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100})"),
      "'tokenizer.json': model.vocab.a: found -1, expected an id");
  EXPECT_EQ(invalid("version", "\"2.0\""), "'tokenizer.json': version: found \"2.0\", expected 1.0");
  EXPECT_EQ(invalid("model", "[]"), "'tokenizer.json': model: found [], expected an object");
}

TEST(TokenizerJson, TellsOfBytesThatAByteLevelModelDoesNotHave) {
  nlohmann::json json = small_file();
  json["pre_tokenizer"] = {{"type", "ByteLevel"}};
  json["model"] = nlohmann::json::parse(R"({"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []})");
  EXPECT_EQ(read(json).settings.notices,
            (std::vector<std::string>{"'tokenizer.json': 254 of the 256 bytes have no token; they vanish from texts, "
                                      "as in the reference"}));
}

TEST(TokenizerJson, ReadsTruncationAndPaddingAndThePadToken) {
  nlohmann::json json = small_file();
  json["truncation"] = nlohmann::json::parse(R"({"max_length": 128, "strategy": "LongestFirst", "stride": 0})");
  json["padding"] =
      nlohmann::json::parse(R"({"strategy": "BatchLongest", "pad_id": 3, "pad_type_id": 1, "pad_token": "a"})");
  const TokenizerJson file = read(json);
  EXPECT_EQ(file.unapplied, "truncation (max_length 128) and padding");
  EXPECT_EQ(file.truncation_length, 128u);
  EXPECT_EQ(file.pad_token, "a");
  EXPECT_EQ(file.settings.pad_token.id, 3);
  EXPECT_EQ(file.settings.pad_token.type_id, 1);
}

TEST(TokenizerJson, TruncatesAtTheSideThatItsTruncationNames) {
  const auto direction = [](const char* truncation) {
    return read_with("truncation", truncation).settings.truncation_direction;
  };
  EXPECT_EQ(direction(R"({"direction": "Left", "max_length": 8})"), Direction::kLeft);
  EXPECT_EQ(direction(R"({"max_length": 8})"), Direction::kRight);
  EXPECT_EQ(invalid("truncation", R"({"direction": "up"})"),
            "'tokenizer.json': truncation.direction: found \"up\", expected Left or Right");
}

TEST(TokenizerJson, JoinsTokensBySpacesWithoutADecoder) {
  EXPECT_FALSE(read_with("decoder", "null").settings.decoder.steps.size());
}

}  // namespace
}  // namespace bert
