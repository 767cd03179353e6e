#include "engine/layers/relative_positions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/kernels/kernels.h"
#include "engine/layers/distance_rows.h"
#include "tests/support/compare.h"
#include "tests/support/random.h"

namespace bert {
namespace {

// Compares buckets with the formula in real numbers. A distance n below 8 has the bucket n; a longer one has
// 8 + ⌊2 log2(n / 8)⌋, at most 15. A key after the query has 16 more. Distances such as 23 are tested too, where a
// limit, 8 times a power of √2, lies between two integers.
TEST(RelativePositions, PutsDistancesIntoBuckets) {
  for (int64_t distance = -700; distance <= 700; ++distance) {
    const auto far = static_cast<double>(std::abs(distance));
    const double of_far = far < 8 ? far : std::min(15.0, 8 + std::floor(2 * std::log2(far / 8) + 1e-12));
    EXPECT_EQ(RelativePositions::bucket(distance), static_cast<size_t>(of_far) + (distance > 0 ? 16 : 0)) << distance;
  }
}

struct BiasCase {
  size_t length, heads = 2, dim = 5, stride = 30;
  std::vector<int32_t> places;
  std::vector<float> q, k;
  std::vector<float> scratch;

  explicit BiasCase(std::vector<int32_t> at) : length(at.size()), places(std::move(at)) {
    test::Random random(length);
    q = random.numbers(length * stride);
    k = random.numbers(length * stride);
  }
  // Returns [length, length], computed for `queries` queries at a time.
  std::vector<float> of(const RelativePositions& relative, size_t head,
                        size_t queries = RelativePositions::kMaxQueries) {
    AttentionArgs args{};
    args.q = q.data();
    args.k = k.data();
    args.stride = stride;
    args.length = length;
    args.head_dim = dim;
    args.scale = 0.5f;
    args.queries = length;
    args.window = kNoWindow;
    const auto span = static_cast<size_t>(places.back() - places.front()) + 1;
    scratch.assign(RelativePositions::scratch_floats(length, span, dim), std::nanf(""));
    std::vector<float> bias;
    for (args.first_query = 0; args.first_query < length; args.first_query += queries) {
      args.queries = std::min(queries, length - args.first_query);
      relative.set_attention_bias(args, places, head, heads, scratch.data(), kernels_for(detect_cpu_features()));
      for (size_t i = 0; i < args.queries; ++i) {
        const float* row = args.attention_bias + static_cast<ptrdiff_t>(i) * args.attention_bias_stride;
        bias.insert(bias.end(), row, row + length);
      }
    }
    return bias;
  }
};

std::vector<int32_t> from_zero(size_t length) {
  std::vector<int32_t> places(length);
  std::iota(places.begin(), places.end(), 0);
  return places;
}

std::vector<int32_t> with_a_gap(size_t length) {
  std::vector<int32_t> places = from_zero(length);
  for (size_t i = length / 2; i < length; ++i) places[i] += 3;
  return places;
}

// A long sequence is computed in parts.
TEST(RelativePositions, GivesTheSameBitsForAnyNumberOfQueriesAtOnce) {
  test::Random random(4);
  const std::vector<float> rows = random.numbers(1000 * 5);
  const DistanceRows distances = DistanceRows::each(300, 300);
  RelativePositions::Vectors vectors{};
  vectors.query_table = vectors.key_table = rows.data();
  vectors.stride = 5;
  vectors.distance_rows = distances.rows;
  vectors.first_distance = distances.first;
  for (const RelativePositions& relative :
       {RelativePositions(vectors), RelativePositions(RelativePositions::Biases{rows.data()})}) {
    for (const std::vector<int32_t>& places : {from_zero(290), with_a_gap(290)}) {
      BiasCase bias_case(places);
      const std::vector<float> expected = bias_case.of(relative, 0);
      for (const size_t queries : {1, 50, 100}) {
        EXPECT_TRUE(test::same_bits(bias_case.of(relative, 0, queries), expected)) << queries;
      }
    }
  }
}

TEST(RelativePositions, AddsTheBucketsNumberOfTheHead) {
  test::Random random(2);
  const std::vector<float> rows = random.numbers(RelativePositions::kBuckets * 2);
  for (const std::vector<int32_t>& places :
       {from_zero(1), from_zero(40), from_zero(300), with_a_gap(300), std::vector<int32_t>{0, 1, 5, 30, 31}}) {
    BiasCase bias_case(places);
    const std::vector<float> got = bias_case.of(RelativePositions(RelativePositions::Biases{rows.data()}), 1);
    for (size_t i = 0; i < places.size(); ++i) {
      for (size_t j = 0; j < places.size(); ++j) {
        EXPECT_EQ(got[i * places.size() + j], rows[RelativePositions::bucket(places[j] - places[i]) * 2 + 1]);
      }
    }
  }
}

TEST(RelativePositions, HasASlopeForEachHead) {
  EXPECT_EQ(RelativePositions::slopes_of(4), (std::vector<float>{0x1p-2f, 0x1p-4f, 0x1p-6f, 0x1p-8f}));
  EXPECT_EQ(RelativePositions::slopes_of(3), (std::vector<float>{0x1p-4f, 0x1p-8f, 0x1p-2f}));
  EXPECT_EQ(RelativePositions::slopes_of(12).size(), 12u);
  EXPECT_EQ(RelativePositions::slopes_of(12)[9], std::exp2(-1.5f));
  const RelativePositions relative(RelativePositions::Slopes{4});
  for (const std::vector<int32_t>& places : {from_zero(3), std::vector<int32_t>{0, 1, 5}}) {
    const std::vector<float> bias = BiasCase(places).of(relative, 1);
    for (size_t i = 0; i < 9; ++i) {
      EXPECT_EQ(bias[i], -0x1p-4f * static_cast<float>(std::abs(places[i / 3] - places[i % 3]))) << i;
    }
  }
}

TEST(RelativePositions, MultipliesQueriesAndKeysWithTheRowOfTheirDistance) {
  const size_t positions = 33;
  const DistanceRows distances = DistanceRows::each(positions - 1, positions - 1);
  test::Random random(3);
  const std::vector<float> rows = random.numbers((2 * positions - 1) * 5);
  for (const std::vector<int32_t>& places : {from_zero(1), from_zero(33), std::vector<int32_t>{0, 1, 5, 30, 31}}) {
    for (const bool keys : {false, true}) {
      for (const bool scaled : {false, true}) {
        BiasCase bias_case(places);
        const RelativePositions relative(RelativePositions::Vectors{.query_table = rows.data(),
                                                                    .key_table = keys ? rows.data() : nullptr,
                                                                    .stride = 5,
                                                                    .head_offset = 0,
                                                                    .distance_rows = distances.rows,
                                                                    .first_distance = distances.first,
                                                                    .scaled = scaled});
        const auto got = bias_case.of(relative, 0);
        std::vector<double> expected;
        for (size_t i = 0; i < places.size(); ++i) {
          for (size_t j = 0; j < places.size(); ++j) {
            const auto row = static_cast<size_t>(places[i] - places[j] + static_cast<int32_t>(positions) - 1);
            double sum = 0;
            for (size_t d = 0; d < 5; ++d) {
              const double other = keys ? bias_case.k[j * bias_case.stride + d] : 0.0f;
              sum += (static_cast<double>(bias_case.q[i * bias_case.stride + d]) + other) *
                     static_cast<double>(rows[row * 5 + d]);
            }
            expected.push_back(sum * (scaled ? 0.5 : 1));
          }
        }
        EXPECT_TRUE(test::within(3e-6, got, expected)) << places.size() << " tokens";
      }
    }
  }
}

}  // namespace
}  // namespace bert
