// Tests rows of layers, places of tokens, and windows.
#include "tasks/research/layer_states.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/models/tiny_model_test.h"

namespace bert {
namespace {

using Places = std::vector<size_t>;

TEST(LayerStates, AreRowsOfTheHiddenStates) {
  const EncodedSequence encoded{2, 3, {}, {}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {}};
  ASSERT_EQ(layer_count(encoded), 2u);
  const analysis::Rows rows = layer_rows(encoded, 1);
  EXPECT_EQ(rows.count(), 2u);
  EXPECT_EQ(rows[1][2], 11);
}

TEST(Places, AreThoseThatAreNotMasked) {
  Encoding encoding;
  encoding.ids = {2, 7, 9, 3};
  EXPECT_EQ(attended_places(encoding), (Places{0, 1, 2, 3}));
  encoding.attention_mask = {1, 0, 1, 1};
  EXPECT_EQ(attended_places(encoding), (Places{0, 2, 3}));
}

TEST(Places, AreSpecialByTheirMask) {
  Encoding encoding;
  encoding.ids = {2, 7, 3};
  EXPECT_EQ(special_places(encoding), std::vector<uint8_t>(3));
  encoding.special_tokens_mask = {1, 0, 1};
  EXPECT_EQ(special_places(encoding), (std::vector<uint8_t>{1, 0, 1}));
  encoding.special_tokens_mask = {1};
  EXPECT_EQ(test::refusal(ErrorCode::kInvalidArgument, [&] { special_places(encoding); }),
            "1 numbers in special_tokens_mask, expected 3, one for each id");
}

TEST(WindowWithin, HidesOnlyTokensFartherAway) {
  ModelConfig config;
  config.local_distance = 2;
  EXPECT_FALSE(window_within(config, {0, 1, 2, 3}));
  config.local_layers = {false, true};
  EXPECT_EQ(window_within(config, {0, 1, 2, 3}), 2u);
  EXPECT_EQ(window_within(config, {0, 3}), 2u);
  EXPECT_FALSE(window_within(config, {0, 1, 2}));
  config.local_layers = {false, false};
  EXPECT_FALSE(window_within(config, {0, 1, 2, 3}));
}

}  // namespace
}  // namespace bert
