#include <gtest/gtest.h>

#include <vector>

#include "bert/fit.h"

namespace bert {
namespace {

using Floats = std::vector<float>;

// Calculates by hand the pooled output of two tokens, for the embeddings and for one layer.
TEST(PooledLayer, PoolsTheTokensOfALayer) {
  EncodedSequence encoded;
  encoded.tokens = encoded.hidden = 2;
  encoded.hidden_states = {9, 9, 9, 9, 1, 2, 3, 8};
  EXPECT_EQ(pooled_layer(encoded, 1, PoolingMode::kMean), (Floats{2, 5}));
  EXPECT_EQ(pooled_layer(encoded, 1, PoolingMode::kCls), (Floats{1, 2}));
  EXPECT_EQ(pooled_layer(encoded, 1, PoolingMode::kLastToken), (Floats{3, 8}));
  EXPECT_EQ(pooled_layer(encoded, 1, PoolingMode::kWeightedMean), (Floats{7.0f / 3, 6}));
  EXPECT_EQ(pooled_layer(encoded, 0, PoolingMode::kMax), (Floats{9, 9}));
  EXPECT_THROW(pooled_layer(encoded, 2, PoolingMode::kMean), Error);
  EXPECT_THROW(pooled_layer(encoded, 1, PoolingMode::kPooler), Error);
  EXPECT_THROW(pooled_layer({}, 0, PoolingMode::kMean), Error);
}

}  // namespace
}  // namespace bert
