#include "tokenizer/files/special_tokens.h"

#include <gtest/gtest.h>

#include "models/text/tokenizer_families.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

TEST(SpecialTokens, HasBertsFiveByDefault) {
  const SpecialTokens tokens = SpecialTokens::of(*tokenizer_families().of_model("bert"));
  EXPECT_EQ(tokens.classifier.content, "[CLS]");
  EXPECT_TRUE(tokens.mask.special);
  EXPECT_FALSE(tokens.mask.normalized);
  EXPECT_TRUE(tokens.contents_with_keys().contains("[PAD]"));
  EXPECT_FALSE(tokens.contents_with_keys().contains("[X]"));
  EXPECT_FALSE(tokens.named_contents().contains("[PAD]"));
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
  EXPECT_EQ(tokens.padding.content, "") << "null removes it";
  const auto missing = tokens.missing_in({{.content = "<s>"}});
  ASSERT_EQ(missing.size(), 5u);
  EXPECT_EQ(missing[0].content, "[UNK]");
  EXPECT_EQ(missing[4].content, "<b>");
}

// The expected tokens are those that transformers 5.23 adds after BERT's five.
TEST(SpecialTokens, ReplaceAdditionalOnesAsTheReferenceDoes) {
  struct Case {
    const char *config, *map;
    std::vector<std::string> expected;
  };
  const char kBoth[] = R"({"extra_special_tokens": ["<a>"], "additional_special_tokens": ["<c>"]})";
  const char kObject[] = R"({"additional_special_tokens": ["<a>"], "extra_special_tokens": {"k": "<k>"}})";
  const Case cases[] = {
      {R"({"additional_special_tokens": ["<a>"]})", R"({"additional_special_tokens": ["<b>"]})", {"<a>"}},
      {kObject, R"({"additional_special_tokens": ["<b>"]})", {"<k>", "<b>"}},
      {kObject, "{}", {"<k>", "<a>"}},
      {kBoth, R"({"extra_special_tokens": ["<b>"]})", {"<a>", "<b>"}},
      {kBoth, R"({"extra_special_tokens": {"k": "<b>"}})", {"<b>", "<c>"}},
      {R"({"extra_special_tokens": [], "additional_special_tokens": ["<c>"]})", "{}", {"<c>"}},
      {R"({"extra_special_tokens": ["<a>"]})",
       R"({"extra_special_tokens": null, "additional_special_tokens": ["<c>"]})",
       {}},
      {R"({"x_token": {"__type": "AddedToken", "content": "<x>"}})",
       R"({"y_token": {"content": "<y>"}})",
       {"<x>", "<y>"}}};
  for (const Case& one : cases) {
    const JsonDocument config = parse_json(one.config, "t"), map = parse_json(one.map, "t");
    SpecialTokens tokens = SpecialTokens::of(*tokenizer_families().of_model("bert"));
    tokens.read({config.root(), "tokenizer_config.json"}, SpecialTokens::File::kConfig);
    tokens.read({map.root(), "special_tokens_map.json"}, SpecialTokens::File::kMap);
    std::vector<std::string> added;
    for (const AddedToken& token : tokens.missing_in({})) added.push_back(token.content);
    added.erase(added.begin(), added.begin() + 5);
    EXPECT_EQ(added, one.expected) << one.config << one.map;
  }
}

// As in the reference, CamemBERT's mask takes the space before it if the file gives a string; an object has its own
// lstrip.
TEST(SpecialTokens, LeaveTheMasksSpaceToTheFamilyWhereItIsANameAlone) {
  for (const auto& [text, takes_space] : {std::pair{R"({"mask_token": "<mask>"})", true},
                                          {R"({"mask_token": {"content": "<mask>"}})", false},
                                          {"{}", true}}) {
    const JsonDocument json = parse_json(text, "t");
    SpecialTokens tokens = SpecialTokens::of(*tokenizer_families().of_model("camembert"));
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
