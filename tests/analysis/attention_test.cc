#include "analysis/attention.h"

#include <gtest/gtest.h>

#include <vector>

namespace bert::analysis {
namespace {

// By hand: rows of 0, 1 and log2(4) = 2 bits … of 4 tokens, of which the first is special.
TEST(HeadSummary, AddsUpWhereAttentionGoes) {
  const std::vector<float> weights = {
      1,     0,     0,     0,      // itself: 0 bits
      0.5f,  0,     0.5f,  0,      // the one before and the one after: 1 bit
      0.25f, 0.25f, 0.25f, 0.25f,  // all alike: 2 bits
      0,     0,     1,     0,      // the one before: 0 bits
  };
  const std::vector<uint8_t> special = {1, 0, 0, 0};
  const HeadSummary head = summarize_head(weights, special, 4);
  EXPECT_DOUBLE_EQ(head.entropy_bits, 3.0 / 4);
  EXPECT_DOUBLE_EQ(head.self, 1.25 / 4);
  EXPECT_DOUBLE_EQ(head.previous, (0.5 + 0.25 + 1) / 4);
  EXPECT_DOUBLE_EQ(head.next, (0.5 + 0.25) / 4);
  EXPECT_DOUBLE_EQ(head.special, 1.75 / 4);
  EXPECT_EQ(summarize_head(weights, {}, 4).special, 0);
}

}  // namespace
}  // namespace bert::analysis
