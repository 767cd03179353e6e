#include "tokenizer/files/tokenizer_json_text.h"

#include <gtest/gtest.h>

#include "models/text/tokenizer_families.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

template <typename Read>
auto read(const Read& reader, const char* text) {
  const JsonDocument json = parse_json(text, "f");
  return reader(JsonObject(json.root(), "f", "x"));
}
Normalizer normalizer(const char* text) { return read(read_normalizer, text); }
PreTokenizer pre_tokenizer(const char* text) { return read(read_pre_tokenizer, text); }
PostProcessor post_processor(const char* text) {
  return read([](const JsonObject& object) { return read_post_processor(object, tokenizer_families()); }, text);
}

Normalizer of(NormalizerStep step) {
  Normalizer result;
  result.add(std::move(step));
  return result;
}
PreTokenizer of_pre_tokenizer(PreTokenizerStep step) {
  PreTokenizer result;
  result.add(std::move(step));
  return result;
}

TEST(TokenizerJsonText, ReadsNormalizers) {
  EXPECT_EQ(normalizer(R"({"type": "NFKC"})"), of(NormalForm{.compatibility = true, .composed = true}));
  EXPECT_EQ(normalizer(R"({"type": "Replace", "pattern": {"String": "a+"}, "content": "b"})"),
            of(Replacement{Pattern::text("a+"), "b"}));
  EXPECT_EQ(normalizer(R"({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "b"})"),
            of(Replacement{Pattern::runs(" ", 2), "b"}));
  EXPECT_EQ(normalizer(R"({"type": "Replace", "pattern": {"Regex": "\u2581+"}, "content": "b"})"),
            of(Replacement{Pattern::runs("\u2581", 1), "b"}));
  EXPECT_EQ(normalizer(R"({"type": "Strip", "strip_left": false, "strip_right": true})"),
            of(StrippedEnds{false, true}));
  EXPECT_EQ(normalizer(R"({"type": "Prepend", "prepend": "x"})"), of(Prepended{"x"}));
}

TEST(TokenizerJsonText, NamesThePlaceOfAMalformedRegularExpression) {
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidFile,
                           [] { normalizer(R"({"type": "Replace", "content": "", "pattern": {"Regex": "(a"}})"); }),
            "'f': x.pattern: regular expression '(a': end pattern with unmatched parenthesis");
}

TEST(TokenizerJsonText, ReadsPreTokenizers) {
  EXPECT_EQ(pre_tokenizer(R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "first", "split": false})"),
            of_pre_tokenizer(Metaspace{U'_', Metaspace::Prepend::kFirst, false}));
  EXPECT_EQ(pre_tokenizer(R"({"type": "Metaspace", "replacement": "\u2581", "add_prefix_space": true})"),
            of_pre_tokenizer(Metaspace()));
  EXPECT_EQ(pre_tokenizer(R"({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true})"),
            of_pre_tokenizer(ByteLevel{false, true}));
  EXPECT_EQ(pre_tokenizer(R"({"type": "Digits", "individual_digits": true})"), of_pre_tokenizer(DigitSplit{true}));
  EXPECT_EQ(pre_tokenizer(R"({"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious",
                         "invert": true})"),
            of_pre_tokenizer(PatternSplit{Pattern::text(" "), SplitBehavior::kMergedWithPrevious, true}));
  EXPECT_EQ(pre_tokenizer(R"({"type": "CharDelimiterSplit", "delimiter": "\u00E9"})"),
            of_pre_tokenizer(PatternSplit{Pattern::text("\u00E9"), SplitBehavior::kRemoved}));
  EXPECT_EQ(pre_tokenizer(R"({"type": "Punctuation", "behavior": "Contiguous"})"),
            of_pre_tokenizer(PunctuationSplit{SplitBehavior::kContiguous}));
  EXPECT_EQ(pre_tokenizer(R"({"type": "Punctuation"})"), of_pre_tokenizer(BertSplitRules{.isolate_punctuation = true}));
  EXPECT_EQ(
      test::error_of(ErrorCode::kInvalidFile, [] { pre_tokenizer(R"({"type": "Punctuation", "behavior": "x"})"); }),
      "'f': x.behavior: found \"x\", expected Removed, Isolated, MergedWithPrevious, MergedWithNext or "
      "Contiguous");
  EXPECT_EQ(
      test::error_of(ErrorCode::kInvalidFile,
                     [] { pre_tokenizer(R"({"type": "Metaspace", "replacement": "_", "add_prefix_space": false})"); }),
      "'f': x.add_prefix_space: found false, expected true, as prepend_scheme is always");
}

TEST(TokenizerJsonText, ReadsTheLengthOfWords) {
  EXPECT_EQ(pre_tokenizer(R"({"type": "FixedLength", "length": 3})"), of_pre_tokenizer(FixedLengthSplit{3}));
  EXPECT_EQ(pre_tokenizer(R"({"type": "FixedLength"})"), of_pre_tokenizer(FixedLengthSplit{5}));
  for (const char* const length : {"0", "null", "-1", "1.5"}) {
    const std::string text = R"({"type": "FixedLength", "length": )" + std::string(length) + "}";
    EXPECT_NE(test::error_of(ErrorCode::kInvalidFile, [&] { pre_tokenizer(text.c_str()); })
                  .find("x.length: found " + std::string(length)),
              std::string::npos)
        << length;
  }
}

TEST(TokenizerJsonText, ReadsPostProcessorsThatTrimSpans) {
  const PostProcessor doubled =
      post_processor(R"({"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0], "trim_offsets": true,
                         "add_prefix_space": false})");
  EXPECT_EQ(doubled.added_tokens(true), 4u);
  EXPECT_EQ(doubled.pair[4].type_id, 0);
  ASSERT_TRUE(doubled.trimming);
  EXPECT_FALSE(doubled.trimming->add_prefix_space);
  EXPECT_FALSE(post_processor(R"({"type": "ByteLevel", "trim_offsets": false})").trimming);
  const PostProcessor both = post_processor(R"({"type": "Sequence", "processors": [
      {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true},
      {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "s", "type_id": 0}},
       {"Sequence": {"id": "A", "type_id": 0}}], "pair": [{"Sequence": {"id": "A", "type_id": 0}},
       {"Sequence": {"id": "B", "type_id": 1}}], "special_tokens": {"s": {"id": "s", "ids": [7], "tokens": ["s"]}}}]})");
  EXPECT_TRUE(both.trimming && both.trimming->add_prefix_space);
  EXPECT_EQ(both.single[0].id, 7);
}

TEST(TokenizerJsonText, ReadsDecodersInTheirOrder) {
  const Decoder decoder = read(read_decoder, R"({"type": "Sequence", "decoders": [
      {"type": "Replace", "pattern": {"String": "_"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
      {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})");
  EXPECT_EQ(decoder.decode({"_a", "<0x62>", "_c"}), "ab c");
  EXPECT_EQ(read(read_decoder, R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "never"})")
                .decode({"_a", "_b"}),
            " a b");
}

}  // namespace
}  // namespace bert
