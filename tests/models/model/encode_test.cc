// Tests Model::encode on small models that the tests write.
#include "bert/model.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/models/tiny_model_test.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

using Ids = std::vector<int32_t>;

class EncodeTest : public test::TinyModelTest {};

TEST_F(EncodeTest, EncodesATextWithItsTokens) {
  const Model model = load();
  const EncodedText encoded = model.encode("The quick fox");
  EXPECT_EQ(encoded.encoding.ids, (Ids{2, 5, 6, 8, 3}));  // by hand from the vocabulary
  EXPECT_EQ(encoded.tokens, 5u);
  EXPECT_EQ(encoded.hidden, 24u);
  EXPECT_EQ(encoded.last_hidden_state.size(), 5u * 24);
  EXPECT_EQ(encoded.pooler_output.size(), 24u);
  EXPECT_TRUE(encoded.hidden_states.empty());
  EXPECT_TRUE(encoded.attentions.empty());
}

TEST_F(EncodeTest, EncodesAPairWithItsSegments) {
  const EncodedText encoded = load().encode("The fox", "The dog");
  EXPECT_EQ(encoded.encoding.ids, (Ids{2, 5, 8, 3, 5, 12, 3}));
  EXPECT_EQ(encoded.encoding.type_ids, (Ids{0, 0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(encoded.tokens, 7u);
}

TEST_F(EncodeTest, ShowsHiddenStatesThatEndInTheLast) {
  const EncodedText encoded = load().encode("The fox", {.hidden_states = true});
  const size_t size = encoded.last_hidden_state.size();
  ASSERT_EQ(encoded.hidden_states.size(), 3 * size);
  EXPECT_TRUE(test::same_bits({encoded.hidden_states.data() + 2 * size, size}, encoded.last_hidden_state));
}

TEST_F(EncodeTest, GivesTheSameBitsWhetherItIsWatchedOrNot) {
  const Model model = load();
  EXPECT_TRUE(test::same_bits(model.encode("The fox", {.hidden_states = true, .attentions = true}).last_hidden_state,
                              model.encode("The fox").last_hidden_state));
}

TEST_F(EncodeTest, ShowsAttentionsThatSumToOne) {
  const EncodedText encoded = load().encode("The quick brown fox", {.attentions = true});
  ASSERT_EQ(encoded.attentions.size(), 2u * 3 * 6 * 6);  // [layers, heads, queries, keys]
  for (size_t row = 0; row < 2 * 3 * 6; ++row) {
    double sum = 0;
    for (size_t key = 0; key < 6; ++key) sum += encoded.attentions[row * 6 + key];
    EXPECT_NEAR(sum, 1, 1e-6) << row;
  }
}

TEST_F(EncodeTest, CutsATextAtItsLimitAndSaysSo) {
  const Model model = load({.positions = 6});
  EXPECT_EQ(model.max_length(), 6u);
  EXPECT_EQ(model.max_positions(), 6u);
  const EncodedText encoded = model.encode("the quick brown fox jumps over");
  EXPECT_EQ(encoded.tokens, 6u);
  EXPECT_EQ(encoded.encoding.truncated_tokens, 2u);
}

TEST_F(EncodeTest, GivesMaskedTokensNoRowAndNoWeight) {
  const Model model = load();
  const Ids ids = {2, 5, 8, 3, 0, 0}, short_ids = {2, 5, 8, 3};
  const std::vector<uint8_t> mask = {1, 1, 1, 1, 0, 0};
  const std::vector<TokenSequence> sequences = {{.ids = ids, .attention_mask = mask}, {.ids = short_ids}};
  const auto encoded = model.encode(sequences);
  EXPECT_EQ(encoded[0].tokens, 4u);
  EXPECT_TRUE(test::same_bits(encoded[0].last_hidden_state, encoded[1].last_hidden_state));
}

TEST_F(EncodeTest, RefusesANaNInThePoolersOutput) {
  const Model model = load({}, [](test::TinyTensors& tensors) {
    tensors["pooler.dense.bias"].values[5] = std::numeric_limits<float>::quiet_NaN();
  });
  EXPECT_NE(test::refusal(ErrorCode::kNonFinite, [&] { model.embed("fox", {.pooling = PoolingMode::kPooler}); }), "");
  EXPECT_NE(test::refusal(ErrorCode::kNonFinite, [&] { model.encode("fox"); }), "");
}

}  // namespace
}  // namespace bert
