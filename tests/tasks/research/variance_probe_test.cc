// Tests how much variance position and word explain, on vectors made by hand.
#include <gtest/gtest.h>

#include <vector>

#include "bert/experiments.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/random.h"

namespace bert {
namespace {

constexpr size_t kNumbers = 2;

// Adds a text of one layer. The functions return a token's values from its place and id: `first` for the embeddings,
// layer 0, and `second` for layer 1.
template <class First, class Second>
void add_text(VarianceProbe& probe, const std::vector<int32_t>& ids, const First& first, const Second& second) {
  Encoding encoding;
  encoding.ids = ids;
  EncodedSequence encoded;
  encoded.tokens = ids.size();
  encoded.hidden = kNumbers;
  for (size_t t = 0; t < ids.size(); ++t) {
    for (const float value : {first(t, ids[t]), 1.0f}) encoded.hidden_states.push_back(value);
  }
  for (size_t t = 0; t < ids.size(); ++t) {
    for (const float value : {second(t, ids[t]), 1.0f}) encoded.hidden_states.push_back(value);
  }
  probe.add(encoding, encoded);
}

float by_place(size_t place, int32_t) { return static_cast<float>(place * place); }
float by_word(size_t, int32_t id) { return static_cast<float>(id * id); }

// Adds every word once at every place, so that word and place are independent.
void add_all_orders(VarianceProbe& probe) {
  for (const std::vector<int32_t>& ids : {std::vector<int32_t>{1, 2, 3}, {2, 3, 1}, {3, 1, 2}}) {
    add_text(probe, ids, by_place, by_word);
  }
}

TEST(VarianceProbe, SeparatesPositionAndWord) {
  VarianceProbe probe;
  add_all_orders(probe);
  const VarianceShares shares = probe.shares();
  EXPECT_EQ(shares.texts, 3u);
  EXPECT_EQ(shares.tokens, 9u);
  EXPECT_EQ(shares.words, 3u);
  EXPECT_EQ(shares.positions, 3u);
  EXPECT_EQ(shares.left_out_tokens, 0u);
  ASSERT_EQ(shares.position.size(), 2u);
  EXPECT_NEAR(shares.position[0], 1, 1e-9);
  EXPECT_NEAR(shares.word[1], 1, 1e-9);
  // In the other layer, the residual variance is the total variance: adjusted R² = 1 - (1 / 6) / (1 / 8).
  EXPECT_NEAR(shares.word[0], -1.0 / 3, 1e-9);
  EXPECT_NEAR(shares.position[1], -1.0 / 3, 1e-9);
  for (size_t layer = 0; layer < 2; ++layer) {
    EXPECT_NEAR(shares.both[layer], 1, 1e-9);
    EXPECT_NEAR(shares.neither[layer], 0, 1e-9);
  }
}

TEST(VarianceProbe, LeavesOutSpecialAndMaskedTokensAndLaterWords) {
  VarianceProbe all(3), some(2);
  Encoding encoding;
  encoding.ids = {9, 1, 2, 3, 1};
  encoding.special_tokens_mask = {1, 0, 0, 0, 0};
  encoding.attention_mask = {1, 1, 1, 1, 0};
  EncodedSequence encoded{4, 1, {}, {}, {5, 1, 2, 3}, {}};
  for (int i = 0; i < 2; ++i) {
    all.add(encoding, encoded);
    some.add(encoding, encoded);
  }
  Encoding longer = encoding;
  longer.ids = {1, 2, 1, 2, 1};
  longer.special_tokens_mask.clear();
  longer.attention_mask.clear();
  const EncodedSequence five{5, 1, {}, {}, {1, 2, 1, 2, 1}, {}};
  all.add(longer, five);
  some.add(longer, five);
  const VarianceShares of_all = all.shares(), of_some = some.shares();
  EXPECT_EQ(of_all.tokens, 11u);
  EXPECT_EQ(of_all.words, 3u);
  EXPECT_EQ(of_all.positions, 5u);
  EXPECT_EQ(of_some.tokens, 9u);
  EXPECT_EQ(of_some.left_out_tokens, 2u);
  EXPECT_EQ(of_some.words, 2u);
  EXPECT_NEAR(of_some.word[0], 1, 1e-9);  // the values are the ids
}

TEST(VarianceProbe, NamesWhatIsMissing) {
  const auto error = [](const VarianceProbe& probe, const char* source) {
    return test::refusal(ErrorCode::kInvalidArgument, [&] { probe.shares(source); });
  };
  VarianceProbe probe;
  EXPECT_EQ(error(probe, "'a.txt'"), "no text in 'a.txt'");
  add_text(probe, {1, 2}, by_place, by_word);
  EXPECT_EQ(error(probe, "'a.txt'"),
            "too few tokens in 'a.txt': 2, expected at least 4, the sum of words (2) and positions (2)");
  VarianceProbe none(0);
  add_text(none, {1, 2}, by_place, by_word);
  EXPECT_EQ(error(none, "'a.txt'"), "no tokens in 'a.txt', expected some");
  VarianceProbe equal;
  for (int i = 0; i < 3; ++i) add_text(equal, {1, 2}, by_place, [](size_t, int32_t) { return 1.0f; });
  EXPECT_EQ(error(equal, "'a.txt'"), "all tokens have the same vector in layer 1, expected different ones");
}

TEST(VarianceProbe, CountsTextsWithoutTokens) {
  VarianceProbe probe;
  probe.add({}, {});
  add_all_orders(probe);
  EXPECT_EQ(probe.shares().texts, 4u);
  EXPECT_EQ(probe.shares().tokens, 9u);
}

TEST(VarianceProbe, RefusesStatesOfAnotherShape) {
  VarianceProbe probe;
  add_all_orders(probe);
  Encoding encoding;
  encoding.ids = {1, 2};
  const auto error = [&](const EncodedSequence& encoded) {
    return test::refusal(ErrorCode::kInvalidArgument, [&] { probe.add(encoding, encoded); });
  };
  EXPECT_EQ(error({2, 2, {}, {}, {}, {}}), "0 numbers in the hidden states, expected layers of 2 tokens of 2 numbers");
  EXPECT_EQ(error({3, 1, {}, {}, {1, 2, 3}, {}}), "an encoding of 2 tokens, expected 3, those of the hidden states");
  EXPECT_EQ(error({2, 1, {}, {}, {1, 2}, {}}),
            "hidden states of 1 layers of 1 numbers, expected 2 of 2, as in the texts before");
  EXPECT_EQ(probe.shares().texts, 3u);
}

}  // namespace
}  // namespace bert
