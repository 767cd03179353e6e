#include "tasks/analysis/distances.h"

#include <gtest/gtest.h>

#include <numbers>

namespace bert::analysis {
namespace {

// A turn in 4 places and one in 6: cosines 1, 0, -1, 0 and 1, 1/2, -1/2, -1.
TEST(Distances, AverageTheCosinesOfTurns) {
  const std::vector<float> frequencies = {static_cast<float>(std::numbers::pi / 2),
                                          static_cast<float>(std::numbers::pi / 3)};
  const std::vector<double> means = mean_cosines(frequencies, 3);
  ASSERT_EQ(means.size(), 4u);
  EXPECT_EQ(means[0], 1);
  EXPECT_NEAR(means[1], 0.25, 1e-6);
  EXPECT_NEAR(means[2], -0.75, 1e-6);
  EXPECT_NEAR(means[3], -0.5, 1e-6);
}

TEST(Distances, AddUpWindowsToTheFirstLayerWithoutOne) {
  const std::vector<std::optional<size_t>> windows = {5, 7, std::nullopt, 5};
  EXPECT_EQ(reach_by_layer(windows), (std::vector<std::optional<size_t>>{5, 12, std::nullopt, std::nullopt}));
}

}  // namespace
}  // namespace bert::analysis
