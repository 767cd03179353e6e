// Tests the reported cost of a pass.
#include "bert/model.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/models/tiny_model_test.h"

namespace bert {
namespace {

class CostTest : public test::TinyModelTest {};

TEST_F(CostTest, CountsWhatAPassCosts) {
  const Model model = load();
  const std::vector<size_t> lengths = {3, 5};
  const ForwardCost cost = model.cost(lengths);
  // Each of two layers multiplies 8 tokens by 4 · 24² + 2 · 24 · 50 weights, and 3² + 5² pairs of 24 values twice. The
  // pooler multiplies two tokens by 24² weights.
  EXPECT_EQ(cost.flops, 2 * (2.0 * 8 * (4 * 576 + 2400) + 4.0 * 34 * 24) + 2.0 * 2 * 576);
  EXPECT_EQ(cost.weight_bytes, 4u * (2 * 24 + 2 * (4 * 600 + 2400 + 74 + 96) + 600));  // leaves out the tables
  EXPECT_GT(cost.workspace_bytes, 0u);
}

}  // namespace
}  // namespace bert
