#include "tasks/analysis/attention.h"

#include <gtest/gtest.h>

#include <vector>

namespace bert::analysis {
namespace {

// The expected values are calculated by hand for 4 tokens, of which the first is special.
TEST(HeadSummary, AveragesEntropyAndSharesOverQueries) {
  const std::vector<float> weights = {
      1,     0,     0,     0,      // the token itself: 0 bits
      0.5f,  0,     0.5f,  0,      // the tokens before and after it: 1 bit
      0.25f, 0.25f, 0.25f, 0.25f,  // uniform: 2 bits
      0,     0,     1,     0,      // the token before it: 0 bits
  };
  const std::vector<uint8_t> special = {1, 0, 0, 0};
  const HeadSummary head = summarize_head(weights, special, std::vector<size_t>{0, 1, 2, 3});
  EXPECT_DOUBLE_EQ(head.entropy_bits, 3.0 / 4);
  EXPECT_DOUBLE_EQ(head.self, 1.25 / 4);
  EXPECT_DOUBLE_EQ(head.previous, (0.5 + 0.25 + 1) / 4);
  EXPECT_DOUBLE_EQ(head.next, (0.5 + 0.25) / 4);
  EXPECT_DOUBLE_EQ(head.special, 1.75 / 4);
  EXPECT_EQ(summarize_head(weights, {}, std::vector<size_t>{0, 1, 2, 3}).special, 0);
}

// The weights are the second and the last row of the test above.
TEST(HeadSummary, OfSomeQueriesKnowsTheirPlaces) {
  const std::vector<float> weights = {0.5f, 0, 0.5f, 0, 0, 0, 0.75f, 0.25f};
  const HeadSummary head = summarize_head(weights, std::vector<uint8_t>{1, 0, 0, 0}, std::vector<size_t>{1, 3});
  EXPECT_DOUBLE_EQ(head.self, 0.25 / 2);
  EXPECT_DOUBLE_EQ(head.previous, (0.5 + 0.75) / 2);
  EXPECT_DOUBLE_EQ(head.next, 0.5 / 2);
  EXPECT_DOUBLE_EQ(head.special, 0.5 / 2);
}

}  // namespace
}  // namespace bert::analysis
