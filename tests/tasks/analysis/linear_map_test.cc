#include "tasks/analysis/linear_map.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/random.h"

namespace bert::analysis {
namespace {

TEST(LinearMap, ExplainsALinearImage) {
  test::Random random(2);
  const std::vector<float> source = random.numbers(30 * 4);
  std::vector<float> target;
  for (size_t i = 0; i < 30; ++i) {
    const float* x = source.data() + i * 4;
    for (const float value : {3 * x[0] - x[1] + 5, x[2] + 2 * x[3] - 1}) target.push_back(value);
  }
  const LinearFit fit = fit_linear_map({source, 4}, {target, 2});
  EXPECT_EQ(fit.rank, 4u);
  EXPECT_NEAR(fit.unexplained, 0, 1e-12);
  EXPECT_NEAR(fit.held_out, 0, 1e-9);
  EXPECT_NEAR(fit.by_chance, 1 - 4.0 / 29, 1e-12);
}

// The expected values are computed by numpy 2.4: by lstsq, and by 12 calls of solve that each leave out one row, with
// the same penalties.
TEST(LinearMap, AgreesWithNumpy) {
  std::vector<float> source, target;
  for (int i = 0; i < 12; ++i) {
    for (const int value : {i, i * i % 7, i % 3}) source.push_back(static_cast<float>(value));
    for (const int value : {2 * i - i % 3 + i * 5 % 4, i * i * i % 5}) target.push_back(static_cast<float>(value));
  }
  const LinearFit fit = fit_linear_map({source, 3}, {target, 2});
  EXPECT_EQ(fit.rank, 3u);
  EXPECT_NEAR(fit.unexplained, 0.054872954081359566, 1e-12);
  EXPECT_NEAR(fit.held_out, 0.11254582692542714, 1e-12);
}

// A source with as many directions as rows fits any target, but it predicts nothing of held-out rows.
TEST(LinearMap, PredictsNothingOfAnUnrelatedTarget) {
  test::Random random(5);
  const std::vector<float> source = random.numbers(20 * 40), target = random.numbers(20 * 3);
  const LinearFit fit = fit_linear_map({source, 40}, {target, 3});
  EXPECT_EQ(fit.rank, 19u);
  EXPECT_NEAR(fit.unexplained, 0, 1e-12);
  EXPECT_NEAR(fit.by_chance, 0, 1e-12);
  EXPECT_GT(fit.held_out, 0.9);
}

}  // namespace
}  // namespace bert::analysis
