#include "tokenizer/post_processor/post_processor.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "bert/error.h"

namespace bert {
namespace {

constexpr int32_t kIds[] = {7, 8, 9}, kWords[] = {0, 1, 0};
constexpr Offset kSources[] = {{0, 2}, {3, 4}, {1, 2}};
constexpr TokenColumns kAll = {kIds, kWords, kSources};
const TokenColumns kText = kAll.part(0, 2), kSecond = kAll.part(2, 1);

TEST(PostProcessor, PutsBertsTemplateAroundAPair) {
  const Encoding encoding = family_template(TemplateKind::kBert, 101, 102).assemble(kText, kSecond, true);
  EXPECT_EQ(encoding.ids, (std::vector<int32_t>{101, 7, 8, 102, 9, 102}));
  EXPECT_EQ(encoding.type_ids, (std::vector<int32_t>{0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(encoding.attention_mask, (std::vector<uint8_t>{1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(encoding.special_tokens_mask, (std::vector<uint8_t>{1, 0, 0, 1, 0, 1}));
  EXPECT_EQ(encoding.word_ids, (std::vector<int32_t>{kNoWord, 0, 1, kNoWord, 0, kNoWord}));
  EXPECT_EQ(encoding.sequence_ids, (std::vector<int32_t>{kNoSequence, 0, 0, kNoSequence, 1, kNoSequence}));
  EXPECT_EQ(encoding.offsets, (std::vector<Offset>{{0, 0}, {0, 2}, {3, 4}, {0, 0}, {1, 2}, {0, 0}}));
}

TEST(PostProcessor, PutsTwoSeparatorsBetweenTextsOfSomeFamilies) {
  const Encoding plain = family_template(TemplateKind::kDoubleSeparator, 0, 2).assemble(kText, kSecond, true);
  EXPECT_EQ(plain.ids, (std::vector<int32_t>{0, 7, 8, 2, 2, 9, 2}));
  EXPECT_EQ(plain.type_ids, (std::vector<int32_t>{0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(family_template(TemplateKind::kDoubleSeparator, 0, 2).assemble(kText, std::nullopt, true).ids,
            (std::vector<int32_t>{0, 7, 8, 2}));
}

TEST(PostProcessor, EndsEachTextOfSomeFamilies) {
  const PostProcessor ends = family_template(TemplateKind::kEnds, 0, 1);
  EXPECT_EQ(ends.assemble(kText, std::nullopt, true).ids, (std::vector<int32_t>{7, 8, 1}));
  const Encoding pair = ends.assemble(kText, kSecond, true);
  EXPECT_EQ(pair.ids, (std::vector<int32_t>{7, 8, 1, 9, 1}));
  EXPECT_EQ(pair.type_ids, (std::vector<int32_t>{0, 0, 0, 0, 0}));
}

TEST(PostProcessor, LeavesSpecialTokensOutButKeepsTypes) {
  const Encoding encoding = family_template(TemplateKind::kBert, 101, 102).assemble(kText, kSecond, false);
  EXPECT_EQ(encoding.ids, (std::vector<int32_t>{7, 8, 9}));
  EXPECT_EQ(encoding.type_ids, (std::vector<int32_t>{0, 0, 1}));
}

TEST(PostProcessor, AddsNothingWithoutATemplate) {
  const PostProcessor none;
  EXPECT_EQ(none.added_tokens(true), 0u);
  EXPECT_EQ(none.assemble(kText, kSecond, true).ids, (std::vector<int32_t>{7, 8, 9}));
  EXPECT_EQ(family_template(TemplateKind::kBert, 1, 2).added_tokens(false), 2u);
  EXPECT_EQ(family_template(TemplateKind::kBert, 1, 2).added_tokens(true), 3u);
}

TEST(PostProcessor, PutsTheTemplateAroundIdsAlone) {
  Encoding encoding =
      family_template(TemplateKind::kBert, 101, 102)
          .assemble({.ids = kText.ids, .only_ids = true}, TokenColumns{.ids = kSecond.ids, .only_ids = true}, true);
  pad(encoding, 7, Direction::kRight, {5, 0}, true);
  EXPECT_EQ(encoding.ids, (std::vector<int32_t>{101, 7, 8, 102, 9, 102, 5}));
  EXPECT_EQ(encoding.type_ids, (std::vector<int32_t>{0, 0, 0, 0, 1, 1, 0}));
  EXPECT_EQ(encoding.attention_mask, (std::vector<uint8_t>{1, 1, 1, 1, 1, 1, 0}));
  EXPECT_TRUE(encoding.offsets.empty() && encoding.word_ids.empty() && encoding.sequence_ids.empty());
  EXPECT_EQ(encoding.special_tokens_mask, (std::vector<uint8_t>{1, 0, 0, 1, 0, 1, 1}));
}

TEST(PostProcessor, PadsOnEitherSide) {
  Encoding encoding = family_template(TemplateKind::kBert, 101, 102).assemble({}, std::nullopt, true);
  pad(encoding, 3, Direction::kRight, {5, 1});
  EXPECT_EQ(encoding.ids, (std::vector<int32_t>{101, 102, 5}));
  EXPECT_EQ(encoding.type_ids, (std::vector<int32_t>{0, 0, 1}));
  EXPECT_EQ(encoding.attention_mask, (std::vector<uint8_t>{1, 1, 0}));
  EXPECT_EQ(encoding.special_tokens_mask, (std::vector<uint8_t>{1, 1, 1}));
  pad(encoding, 4, Direction::kLeft, {5, 1});
  EXPECT_EQ(encoding.ids, (std::vector<int32_t>{5, 101, 102, 5}));
  EXPECT_EQ(encoding.word_ids, (std::vector<int32_t>{kNoWord, kNoWord, kNoWord, kNoWord}));
  pad(encoding, 2, Direction::kLeft, {5, 1});
  EXPECT_EQ(encoding.size(), 4u) << "longer results stay as they are";
}

// In the reference, padding to length 8 and a multiple of 5 gives 10 tokens; without a length it gives 5.
TEST(PostProcessor, RoundsTheLengthUpToTheMultiple) {
  EXPECT_EQ(padded_length({.length = 8, .multiple_of = 5}, 3), 10u);
  EXPECT_EQ(padded_length({.multiple_of = 5}, 3), 5u);
  EXPECT_EQ(padded_length({.length = 8}, 3), 8u);
  EXPECT_EQ(padded_length({}, 3), 3u);
  EXPECT_THROW(padded_length({.length = SIZE_MAX}, 3), Error);
  EXPECT_THROW(padded_length({.multiple_of = SIZE_MAX}, 3), Error);
}

}  // namespace
}  // namespace bert
