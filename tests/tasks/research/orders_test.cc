// Tests the effects of other orders of a text's tokens: which orders are tried, and that the effects equal encode's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "bert/experiments.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

using Order = std::vector<size_t>;

class OrdersTest : public test::TinyModelTest {
 protected:
  Model load_without() {
    return Model::load(directory_.path().string(), {.threads = 2, .positions = {Positions::kNone}});
  }
};

// Returns these ids with [CLS] before and [SEP] after them.
Encoding encoding_of(const std::vector<int32_t>& ids) {
  Encoding encoding;
  encoding.ids = {2};
  encoding.ids.insert(encoding.ids.end(), ids.begin(), ids.end());
  encoding.ids.push_back(3);
  encoding.special_tokens_mask.assign(encoding.ids.size(), 0);
  encoding.special_tokens_mask.front() = encoding.special_tokens_mask.back() = 1;
  return encoding;
}

TEST_F(OrdersTest, KeepSpecialTokensInPlace) {
  const Model model = load();
  const OrderComparison result = compare_orders(model, load_without(), encoding_of({7, 8, 9, 10, 11}), {.shuffles = 2});
  ASSERT_EQ(result.effects.size(), 4u);
  EXPECT_EQ(result.effects[0].reordering, Reordering::kReversed);
  EXPECT_EQ(result.effects[0].order, (Order{0, 5, 4, 3, 2, 1, 6}));
  EXPECT_EQ(result.effects[1].reordering, Reordering::kNeighboursSwapped);
  EXPECT_EQ(result.effects[1].order, (Order{0, 2, 1, 4, 3, 5, 6}));
  for (size_t i = 2; i < 4; ++i) {
    Order order = result.effects[i].order;
    EXPECT_EQ(result.effects[i].reordering, Reordering::kShuffled);
    EXPECT_EQ(order.front(), 0u);
    EXPECT_EQ(order.back(), 6u);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, (Order{0, 1, 2, 3, 4, 5, 6}));
  }
}

// Three different tokens have 6 orders: the text's own, the reversed one, the one with swapped neighbours, and 3
// others. 7 8 7 has 3: its own, which is also the reversed one, 8 7 7 with swapped neighbours, and 7 7 8.
TEST_F(OrdersTest, AreDifferentAndAsManyAsThereAre) {
  const Model model = load(), without = load_without();
  const OrderComparison all = compare_orders(model, without, encoding_of({7, 8, 9}), {.shuffles = 1000});
  std::set<Order> orders = {{0, 1, 2, 3, 4}};
  for (const OrderEffect& effect : all.effects) orders.insert(effect.order);
  EXPECT_EQ(all.effects.size(), 5u);
  EXPECT_EQ(orders.size(), 6u);
  const OrderComparison equal = compare_orders(model, without, encoding_of({7, 8, 7}), {.shuffles = 1000});
  ASSERT_EQ(equal.effects.size(), 3u);
  EXPECT_EQ(equal.effects[2].order[3], 2u);  // 8 is the last
}

TEST_F(OrdersTest, DependOnTheSeedAlone) {
  const Model model = load(), without = load_without();
  const auto shuffled = [&](uint64_t seed) {
    const Encoding encoding = encoding_of({7, 8, 9, 10, 11, 12, 13, 14});
    return compare_orders(model, without, encoding, {.shuffles = 1, .seed = seed}).effects[2].order;
  };
  EXPECT_EQ(shuffled(7), shuffled(7));
  EXPECT_NE(shuffled(7), shuffled(8));
}

TEST_F(OrdersTest, MoveTheVectorsOfEncode) {
  const Model model = load(), without = load_without();
  const Encoding encoding = encoding_of({7, 8, 9, 10});
  const OrderComparison result = compare_orders(model, without, encoding, {.shuffles = 1});
  const TokenSequence view = model.sequence(encoding);
  const EncodedSequence own = model.encode({&view, 1}).front();
  std::vector<double> sums(3);
  for (const OrderEffect& effect : result.effects) {
    std::vector<int32_t> ids;
    for (const size_t from : effect.order) ids.push_back(encoding.ids[from]);
    const TokenSequence reordered{.ids = ids};
    const EncodedSequence other = model.encode({&reordered, 1}).front();
    double mean = 0;
    for (size_t i = 0; i < ids.size(); ++i) {
      double square = 0, step = 0;
      for (size_t c = 0; c < own.hidden; ++c) {
        const double a = own.last_hidden_state[effect.order[i] * own.hidden + c];
        const double b = other.last_hidden_state[i * own.hidden + c];
        square += a * a;
        step += (b - a) * (b - a);
      }
      EXPECT_NEAR(effect.moved[effect.order[i]], std::sqrt(step / square), 1e-9);
      mean += std::sqrt(step / square) / static_cast<double>(ids.size());
    }
    ASSERT_EQ(effect.moved_by_layer.size(), 3u);
    EXPECT_NEAR(effect.moved_by_layer.back(), mean, 1e-9);
    EXPECT_GT(mean, 0.001);
    EXPECT_LT(effect.moved_by_layer_without.back(), 1e-5);
    EXPECT_LT(effect.largest_difference_without, 1e-5);
    EXPECT_EQ(effect.largest_difference_in_one_key_order, 0);
    for (size_t layer = 0; layer < 3; ++layer) sums[layer] += effect.moved_by_layer[layer];
  }
  for (size_t layer = 0; layer < 3; ++layer) EXPECT_NEAR(result.moved_by_layer[layer], sums[layer] / 3, 1e-12);
}

// Local layers see 5 places to each side, so the order of 8 tokens has effects even without positions.
TEST_F(OrdersTest, AreVisibleByWindows) {
  BERT_TEST_DATA_OR_SKIP(data, "family_modern/modernbert");
  const Model model = Model::load(data.string());
  const Model without = Model::load(data.string(), {.positions = {Positions::kNone}});
  const OrderComparison result = compare_orders(model, without, encoding_of({7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(result.window, 5u);
  for (const OrderEffect& effect : result.effects) {
    EXPECT_FALSE(effect.largest_difference_in_one_key_order);
    EXPECT_GT(effect.moved_by_layer_without.back(), 0.01);
  }
}

TEST_F(OrdersTest, NameWhatIsWrong) {
  const Model model = load(), without = load_without();
  const auto error = [&](const Model& first, const Model& second, const Encoding& encoding) {
    return test::refusal(ErrorCode::kInvalidArgument, [&] { compare_orders(first, second, encoding); });
  };
  EXPECT_EQ(error(model, without, encoding_of({7})),
            "the text has 1 token besides special ones, expected 2 or more to reorder");
  EXPECT_EQ(error(model, model, encoding_of({7, 8})),
            "the model without positions has positions absolute, expected none");
  Encoding masked = encoding_of({7, 8, 9});
  masked.attention_mask = {1, 1, 0, 1, 1};
  EXPECT_EQ(error(model, without, masked), "1 of 5 tokens are masked, expected none to reorder");
  EXPECT_EQ(error(model, without, encoding_of({7, 99})),
            "token 2 has id 99, expected 0 to 39 (the model's vocab_size)");
  const Model larger = load({.layers = 3});
  EXPECT_EQ(error(larger, without, encoding_of({7, 8})),
            "the model without positions has 2 layers of 24 numbers, expected 3 of 24");
}

}  // namespace
}  // namespace bert
