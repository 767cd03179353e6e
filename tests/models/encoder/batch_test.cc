#include "models/encoder/batch.h"

#include <gtest/gtest.h>

#include "bert/error.h"

namespace bert {
namespace {

using Ids = std::vector<int32_t>;
using Mask = std::vector<uint8_t>;

ModelConfig small_config() {
  ModelConfig config;
  config.vocab_size = 100;
  config.type_vocab_size = 2;
  config.max_position_embeddings = 6;
  return config;
}

// Returns the message with which a sequence is refused, or "".
std::string refusal(const TokenSequence& sequence) {
  try {
    check_sequence(sequence, small_config(), "");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.what();
  }
  return "";
}

template <class T>
std::vector<T> copy(std::span<const T> values) {
  return {values.begin(), values.end()};
}

TEST(Batch, LaysSequencesSideBySide) {
  const Ids first = {5, 6, 7}, types = {0, 1, 1}, second = {8};
  const std::vector<TokenSequence> sequences = {{.ids = first, .type_ids = types}, {.ids = second}};
  const Batch batch(sequences, small_config());
  EXPECT_EQ(copy(batch.view().ids), (Ids{5, 6, 7, 8}));
  EXPECT_EQ(copy(batch.view().type_ids), (Ids{0, 1, 1, 0}));
  EXPECT_EQ(copy(batch.view().positions), (Ids{0, 1, 2, 0}));
  EXPECT_EQ(copy(batch.view().row_starts), (std::vector<size_t>{0, 3, 4}));
  EXPECT_EQ(batch.longest(), 3u);
}

TEST(Batch, LeavesMaskedTokensOutAndTheOthersTheirPositions) {
  const Ids ids = {5, 6, 7, 8, 9};
  const Mask mask = {0, 1, 0, 1, 0};
  const TokenSequence sequence{.ids = ids, .attention_mask = mask};
  const Batch batch({&sequence, 1}, small_config());
  EXPECT_EQ(copy(batch.view().ids), (Ids{6, 8}));
  EXPECT_EQ(copy(batch.view().positions), (Ids{1, 3}));
  EXPECT_EQ(batch.longest(), 2u);
}

TEST(Batch, RefusesNoSequences) { EXPECT_THROW(Batch({}, small_config()), Error); }

TEST(Batch, NamesTheSequenceThatItRefuses) {
  const Ids good = {1}, bad = {1, 100};
  const std::vector<TokenSequence> sequences = {{.ids = good}, {.ids = bad}};
  try {
    Batch(sequences, small_config());
    ADD_FAILURE() << "taken";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "sequence 1: token 1 has id 100, expected 0 to 99 (the model's vocab_size)");
  }
}

TEST(CheckSequence, TakesTheLargestOfEverything) {
  const Ids ids(6, 99), types(6, 1);
  const Mask mask(6, 1);
  EXPECT_EQ(refusal({ids, types, mask}), "");
}

TEST(CheckSequence, RefusesNoTokens) { EXPECT_EQ(refusal({}), "no ids, expected at least one"); }

TEST(CheckSequence, RefusesAnIdOutsideTheVocabularyWithTokenAndId) {
  EXPECT_EQ(refusal({.ids = Ids{1, 2, 100}}), "token 2 has id 100, expected 0 to 99 (the model's vocab_size)");
  EXPECT_EQ(refusal({.ids = Ids{-1}}), "token 0 has id -1, expected 0 to 99 (the model's vocab_size)");
}

TEST(CheckSequence, RefusesAnIdOutsideTheVocabularyEvenWhereItIsMasked) {
  EXPECT_NE(refusal({.ids = Ids{1, 100}, .attention_mask = Mask{1, 0}}), "");
}

TEST(CheckSequence, RefusesATypeIdPastTheSegments) {
  EXPECT_EQ(refusal({.ids = Ids{1, 2}, .type_ids = Ids{0, 2}}),
            "token 1 has type id 2, expected 0 to 1 (the model's type_vocab_size)");
  EXPECT_NE(refusal({.ids = Ids{1}, .type_ids = Ids{-1}}), "");
}

TEST(CheckSequence, RefusesTooManyTokens) {
  EXPECT_EQ(refusal({.ids = Ids(7, 1)}), "7 tokens, expected at most 6 (the model's max_position_embeddings)");
}

TEST(CheckSequence, RefusesArraysOfOtherSizes) {
  EXPECT_EQ(refusal({.ids = Ids{1, 2}, .type_ids = Ids{0}}), "1 type ids for 2 ids, expected as many or none");
  EXPECT_EQ(refusal({.ids = Ids{1, 2}, .attention_mask = Mask{1, 1, 1}}),
            "3 attention mask values for 2 ids, expected as many or none");
}

TEST(CheckSequence, RefusesAMaskThatLeavesNothing) {
  EXPECT_EQ(refusal({.ids = Ids{1, 2}, .attention_mask = Mask{0, 0}}),
            "all tokens are masked, expected at least one that is not");
}

TEST(CheckSequence, RefusesAMaskThatIsNeither0Nor1) {
  EXPECT_EQ(refusal({.ids = Ids{1, 2}, .attention_mask = Mask{1, 2}}), "token 1 has attention mask 2, expected 0 or 1");
}

}  // namespace
}  // namespace bert
