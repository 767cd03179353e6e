#include "tokenizer/special_tokens.h"

#include <gtest/gtest.h>

#include "models/tokenizer_families.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

TEST(SpecialTokens, HasBertsFiveByDefault) {
  const SpecialTokens tokens = SpecialTokens::of(*tokenizer_families().of_model("bert"));
  EXPECT_EQ(tokens.classifier.content, "[CLS]");
  EXPECT_TRUE(tokens.mask.special);
  EXPECT_FALSE(tokens.mask.normalized);
  EXPECT_TRUE(tokens.has_key("[PAD]"));
  EXPECT_FALSE(tokens.has_key("[X]"));
  EXPECT_FALSE(tokens.names("[PAD]"));
}

TEST(SpecialTokens, TakesStringsAndObjects) {
  const JsonDocument json = parse_json(R"({"cls_token": "<s>", "mask_token": {"content": "<mask>", "lstrip": true},
                                    "pad_token": null, "additional_special_tokens": ["<a>", {"content": "<b>"}]})",
                                       "t");
  SpecialTokens tokens = SpecialTokens::of(*tokenizer_families().of_model("bert"));
  tokens.read({json.root(), "special_tokens_map.json"}, SpecialTokens::File::kMap);
  EXPECT_EQ(tokens.classifier.content, "<s>");
  EXPECT_EQ(tokens.mask.content, "<mask>");
  EXPECT_TRUE(tokens.mask.lstrip);
  EXPECT_TRUE(tokens.mask.special);
  EXPECT_EQ(tokens.padding.content, "[PAD]");
  const auto missing = tokens.missing_in({{.content = "<s>"}});
  ASSERT_EQ(missing.size(), 6u);
  EXPECT_EQ(missing[0].content, "[UNK]");
  EXPECT_EQ(missing[5].content, "<b>");
}

// As in the reference's RoBERTa: a mask given as a string takes the space before it; an object has its own lstrip.
TEST(SpecialTokens, LeaveTheMasksSpaceToTheFamilyWhereItIsANameAlone) {
  for (const auto& [text, takes_space] : {std::pair{R"({"mask_token": "<mask>"})", true},
                                          {R"({"mask_token": {"content": "<mask>"}})", false},
                                          {"{}", true}}) {
    const JsonDocument json = parse_json(text, "t");
    SpecialTokens tokens = SpecialTokens::of(*tokenizer_families().of_model("roberta"));
    tokens.read({json.root(), "special_tokens_map.json"}, SpecialTokens::File::kMap);
    EXPECT_EQ(tokens.mask.lstrip, takes_space) << text;
  }
}

TEST(SpecialTokens, RefusesAnotherType) {
  const JsonDocument json = parse_json(R"({"cls_token": 5})", "t");
  SpecialTokens tokens = SpecialTokens::of(*tokenizer_families().of_model("bert"));
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidFile,
                           [&] {
                             tokens.read({json.root(), "s.json"}, SpecialTokens::File::kMap);
                           }),
            "'s.json': cls_token: found 5, expected a string or an object with content");
}

TEST(SpecialTokens, NormalizesAnAddedTokenUnlessItIsSpecialOrSaysOtherwise) {
  const auto read = [](const char* text) {
    const JsonDocument json = parse_json(text, "t");
    return read_added_token({json.root(), "t"}, false);
  };
  EXPECT_TRUE(read(R"({"content": "x"})").normalized);
  EXPECT_FALSE(read(R"({"content": "x", "special": true})").normalized);
  EXPECT_TRUE(read(R"({"content": "x", "special": true, "normalized": true})").normalized);
}

TEST(SpecialTokens, OrdersTheDecoderByItsIds) {
  const JsonDocument json = parse_json(
      R"({"added_tokens_decoder": {"1000": {"content": "b"}, "9": {"content": "a", "special": true}}})", "t");
  const auto tokens = read_added_tokens_decoder({json.root(), "c.json"});
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(tokens[0].token.content, "a");
  EXPECT_EQ(tokens[0].id, 9u);
  EXPECT_EQ(tokens[1].id, 1000u);
}

TEST(SpecialTokens, RefusesADecoderKeyThatIsNoId) {
  const JsonDocument json = parse_json(R"({"added_tokens_decoder": {"1x": {"content": "b"}}})", "t");
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidFile,
                           [&] {
                             read_added_tokens_decoder({json.root(), "c.json"});
                           }),
            "'c.json': added_tokens_decoder.1x: found {\"content\":\"b\"}, expected a decimal id as the key");
}

TEST(SpecialTokens, ReadsTheOlderFileWithSpecialsMarked) {
  const JsonDocument json = parse_json(R"({"[MASK]": 103, "[ENT]": 7})", "t");
  const JsonDocument map = parse_json(R"({"mask_token": "[MASK]"})", "m");
  SpecialTokens special;
  special.read({map.root(), "special_tokens_map.json"}, SpecialTokens::File::kMap);
  const auto tokens = read_added_tokens_file({json.root(), "added_tokens.json"}, special);
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(tokens[0].token.content, "[ENT]");
  EXPECT_TRUE(tokens[0].token.normalized);
  EXPECT_TRUE(tokens[1].token.special);
}

}  // namespace
}  // namespace bert
