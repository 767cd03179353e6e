#include "models/encoder/probabilities.h"

#include <gtest/gtest.h>

namespace bert {
namespace {

TEST(Probabilities, AreTheSoftmaxOfLargeAndSmallNumbers) {
  EXPECT_EQ(probabilities(std::vector<float>{1000, 1000, 0}), (std::vector<double>{0.5, 0.5, 0}));
  EXPECT_TRUE(probabilities({}).empty());
}

TEST(Probabilities, OfOneLogitAreItsSigmoid) {
  EXPECT_DOUBLE_EQ(probability(0), 0.5);
  EXPECT_DOUBLE_EQ(probability(2) + probability(-2), 1);
  EXPECT_EQ(probability(-1000), 0);
}

}  // namespace
}  // namespace bert
