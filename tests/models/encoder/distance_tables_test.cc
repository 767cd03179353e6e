#include "models/encoder/distance_tables.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "models/encoder/backend.h"
#include "models/encoder/plan.h"
#include "tests/support/compare.h"
#include "tests/support/random.h"

namespace bert {
namespace {

constexpr size_t kHidden = 6, kDistances = 10;

struct DistanceTablesTest : ::testing::Test {
  test::Random random{3};
  std::vector<float> rows = random.numbers(kDistances * kHidden), weight = random.numbers(kHidden * kHidden),
                     bias = random.numbers(kHidden), norm_weight = random.numbers(kHidden),
                     norm_bias = random.numbers(kHidden);
  Backend backend{LoadOptions{.threads = 2}};

  // Returns a plan of two layers, one of which multiplies only queries.
  EncoderPlan plan(bool normalizes) {
    EncoderPlan plan;
    plan.layers.resize(2);
    for (LayerSpec& layer : plan.layers) {
      layer.attention.heads = 2;
      layer.attention.head_dim = 3;
    }
    plan.distance_source.emplace();
    plan.distance_source->rows = {rows.data(), WeightFormat::kF32, kDistances, kHidden};
    if (normalizes) {
      Norm norm;
      norm.weight = norm_weight.data();
      norm.bias = norm_bias.data();
      norm.eps = 1e-7;
      plan.distance_source->norm = norm;
    }
    Linear projection;
    projection.parts = {{{weight.data(), WeightFormat::kF32, kHidden, kHidden}, bias.data()}};
    plan.distance_source->layers.resize(2);
    plan.distance_source->layers[0].for_queries = projection;
    plan.distance_source->layers[1].for_queries = projection;
    plan.distance_source->layers[1].for_keys = projection;
    return plan;
  }

  // Returns the table [kDistances, kHidden], computed in float64.
  std::vector<double> exact(bool normalizes) const {
    std::vector<double> table;
    for (size_t row = 0; row < kDistances; ++row) {
      std::vector<double> x(rows.begin() + static_cast<std::ptrdiff_t>(row * kHidden),
                            rows.begin() + static_cast<std::ptrdiff_t>((row + 1) * kHidden));
      double mean = 0, variance = 0;
      for (const double value : x) mean += value / kHidden;
      for (const double value : x) variance += (value - mean) * (value - mean) / kHidden;
      for (size_t i = 0; normalizes && i < kHidden; ++i) {
        x[i] = (x[i] - mean) / std::sqrt(variance + 1e-7) * static_cast<double>(norm_weight[i]) +
               static_cast<double>(norm_bias[i]);
      }
      for (size_t out = 0; out < kHidden; ++out) {
        double sum = bias[out];
        for (size_t i = 0; i < kHidden; ++i) sum += static_cast<double>(weight[out * kHidden + i]) * x[i];
        table.push_back(sum);
      }
    }
    return table;
  }
};

TEST_F(DistanceTablesTest, ProjectsTheRowsForEachLayer) {
  for (const bool normalizes : {false, true}) {
    EncoderPlan encoder = plan(normalizes);
    compute_distance_tables(encoder, backend);
    ASSERT_EQ(encoder.distance_tables.size(), 3u);
    for (const Matrix& table : encoder.distance_tables) {
      EXPECT_TRUE(test::within(2e-6, std::span(table.view().data, kDistances * kHidden), exact(normalizes)));
    }
    for (const LayerSpec& layer : encoder.layers) EXPECT_TRUE(layer.attention.relative);
  }
}

TEST_F(DistanceTablesTest, LeavesOtherPlansAlone) {
  EncoderPlan encoder;
  encoder.layers.resize(1);
  compute_distance_tables(encoder, backend);
  EXPECT_TRUE(encoder.distance_tables.empty());
  EXPECT_FALSE(encoder.layers[0].attention.relative);
}

}  // namespace
}  // namespace bert
