// Tests the comparison of position tables with the sinusoidal one, on sinusoids, tables made by hand, and wrong tables.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bert/experiments.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/random.h"

namespace bert {
namespace {

PositionTable sinusoids(size_t positions, size_t hidden) {
  PositionTable table{positions, hidden, {}};
  for (size_t position = 0; position < positions; ++position) {
    for (size_t c = 0; c < hidden; ++c) {
      const double exponent = static_cast<double>(c - c % 2) / static_cast<double>(hidden);
      const double angle = static_cast<double>(position) / std::pow(10000.0, exponent);
      table.values.push_back(static_cast<float>(c % 2 == 0 ? std::sin(angle) : std::cos(angle)));
    }
  }
  return table;
}

TEST(Sinusoids, AreLikeThemselves) {
  const SinusoidComparison result = compare_with_sinusoids(sinusoids(32, 8));
  EXPECT_EQ(result.learned.cosines, result.sinusoidal.cosines);
  EXPECT_EQ(result.learned.nearest, result.sinusoidal.nearest);
  EXPECT_NEAR(result.sinusoidal_to_learned.unexplained, 0, 1e-9);
  EXPECT_NEAR(result.learned_to_sinusoidal.held_out, 0, 1e-6);
  // The fastest pair turns once in 6.28 places, so the mean cosine is 0.946 at distance 6 and 0.884 at distance 1.
  EXPECT_EQ(result.learned.neighbours_nearest, 0u);
  EXPECT_EQ(result.learned.nearest.front(), 6u);
  for (const double norm : result.norms) EXPECT_NEAR(norm, 2, 1e-6);  // 4 pairs of a sine and a cosine
  // The cosine of two sinusoidal positions is the mean of cos(distance · frequency) over the frequencies.
  ASSERT_EQ(result.sinusoidal.by_distance.size(), 32u);
  for (const size_t distance : {size_t{0}, size_t{1}, size_t{9}, size_t{31}}) {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += std::cos(static_cast<double>(distance) / std::pow(10000.0, i / 4.0));
    EXPECT_NEAR(result.sinusoidal.by_distance[distance], sum / 4, 1e-6) << distance;
  }
}

// The vectors have length 1 and are at 0, 90, 100, 120 and 350 degrees. The angles say which are nearest.
TEST(Sinusoids, AreComparedByNearestPositions) {
  PositionTable table{5, 2, {}};
  for (const double degrees : {0.0, 90.0, 100.0, 120.0, 350.0}) {
    table.values.push_back(static_cast<float>(std::cos(degrees * std::acos(-1) / 180)));
    table.values.push_back(static_cast<float>(std::sin(degrees * std::acos(-1) / 180)));
  }
  const SinusoidComparison result = compare_with_sinusoids(table);
  EXPECT_EQ(result.learned.nearest, (std::vector<size_t>{4, 1, 2,     // 10, 90 and 100 degrees away
                                                         2, 3, 0,     // 10, 30, 90
                                                         1, 3, 0,     // 10, 20, 100
                                                         2, 1, 0,     // 20, 30, 120
                                                         0, 1, 2}));  // 10, 100, 110
  EXPECT_EQ(result.learned.neighbours_nearest, 3u);                   // positions 1, 2 and 3
  EXPECT_NEAR(result.learned.cosines[1 * 5 + 3], std::cos(std::acos(-1) / 6), 1e-6);
}

TEST(Sinusoids, ExplainNothingOfNoise) {
  test::Random random(3);
  const SinusoidComparison result = compare_with_sinusoids({64, 4, random.numbers(64 * 4)});
  EXPECT_EQ(result.sinusoidal_to_learned.rank, 4u);
  EXPECT_NEAR(result.sinusoidal_to_learned.by_chance, 1 - 4.0 / 63, 1e-12);
  EXPECT_GT(result.sinusoidal_to_learned.unexplained, 0.8);
  EXPECT_GT(result.sinusoidal_to_learned.held_out, 0.9);
}

TEST(Sinusoids, NameWhatIsWrongWithATable) {
  const auto error = [](const PositionTable& table) {
    return test::refusal(ErrorCode::kInvalidArgument, [&] { compare_with_sinusoids(table); });
  };
  EXPECT_EQ(error({3, 2, {1, 2, 3, 4, 5, 6}}), "the model has 3 positions, expected 4 or more");
  EXPECT_EQ(error({4, 2, {1, 2, 1, 2, 1, 2, 1, 2}}),
            "the model's position vectors are all the same, expected different ones");
  EXPECT_EQ(error({4, 2, {1, 2, 3}}), "3 numbers in the position table, expected 4 rows of 2");
  EXPECT_NE(error({4, 0, {}}), "");
}

}  // namespace
}  // namespace bert
