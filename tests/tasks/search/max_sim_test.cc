// Compares MaxSim with a plain calculation in float64.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "bert/error.h"
#include "bert/vectors.h"

namespace bert {
namespace {

using Floats = std::vector<float>;

Floats random_floats(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 0.2f);
  Floats values(count);
  for (float& value : values) value = normal(random);
  return values;
}

double product(const float* a, const float* b, size_t size) {
  double sum = 0;
  for (size_t i = 0; i < size; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

TEST(MaxSim, IsTheSumOfTheLargestProducts) {
  for (const size_t size : {1u, 7u, 64u, 128u, 130u}) {
    for (const size_t query_vectors : {1u, 5u, 32u, 70u}) {
      const Floats query = random_floats(query_vectors * size, 1);
      std::vector<size_t> starts = {0};
      for (const size_t count : {0, 1, 15, 16, 17, 130, 0, 600, 3})
        starts.push_back(starts.back() + static_cast<size_t>(count));
      const Floats documents = random_floats(starts.back() * size, 2);
      std::vector<double> scores(starts.size() - 1), alone(scores.size());
      MaxSim(2).scores(query, documents, starts, size, scores);
      MaxSim(1).scores(query, documents, starts, size, alone);
      EXPECT_EQ(scores, alone);
      for (size_t document = 0; document < scores.size(); ++document) {
        double expected = 0;
        for (size_t i = 0; i < query_vectors && starts[document] < starts[document + 1]; ++i) {
          double largest = -1e9;
          for (size_t j = starts[document]; j < starts[document + 1]; ++j) {
            largest = std::max(largest, product(&query[i * size], &documents[j * size], size));
          }
          expected += largest;
        }
        EXPECT_NEAR(scores[document], expected, 1e-5) << size << ", document " << document;
      }
    }
  }
}

TEST(MaxSim, FindsTheBestVectorAndOfEqualOnesTheFirst) {
  const Floats query = {1, 0, 0, 1};
  const Floats document = {0.5f, 0, 2, 1, 2, 3, 0, 3};
  const std::vector<VectorMatch> matches = MaxSim(1).matches(query, document, 2);
  ASSERT_EQ(matches.size(), 2u);
  EXPECT_EQ(matches[0].index, 1u);
  EXPECT_EQ(matches[0].product, 2);
  EXPECT_EQ(matches[1].index, 2u);
  EXPECT_EQ(MaxSim(1).score(query, document, 2), 5);
  EXPECT_TRUE(MaxSim(1).matches(query, {}, 2).empty());
  EXPECT_EQ(MaxSim(1).score(query, {}, 2), 0);
}

TEST(MaxSim, RefusesSpansThatAreNotWholeVectors) {
  const MaxSim max_sim(1);
  const Floats three(3), four(4);
  double score = 0;
  EXPECT_THROW(max_sim.score(three, four, 2), Error);
  EXPECT_THROW(max_sim.score(four, three, 2), Error);
  EXPECT_THROW(max_sim.score(four, four, 0), Error);
  const size_t unordered[] = {0, 3, 2};
  std::vector<double> two(2);
  EXPECT_THROW(max_sim.scores(four, four, unordered, 2, two), Error);
  const size_t beyond[] = {0, 9};
  EXPECT_THROW(max_sim.scores(four, four, beyond, 2, {&score, 1}), Error);
}

}  // namespace
}  // namespace bert
