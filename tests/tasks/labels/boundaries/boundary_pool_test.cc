#include "tasks/labels/boundaries/boundary_pool.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/isa.h"
#include "tests/tasks/labels/boundaries/boundary_tensors.h"

namespace bert {
namespace {

const std::string kBuilder = "boundary_head.shared_pool_builder.", kPooled = "boundary_head.shared_pool_scorer.";
constexpr size_t kPlaces = test::kTextWords + 1;

BoundarySettings small_pool() {
  BoundarySettings settings = test::small_boundaries();
  settings.shares_candidates = true;
  settings.pool_heads = 3;
  settings.pool_layers = 1;
  return settings;
}

struct PoolCase {
  test::BoundaryTensors tensors;
  std::map<std::string, test::Dense> attention;  // the labels' attention
  std::vector<float> biases;                     // a bias for each kind of overlap of candidates
  BoundaryPool pool;
  std::vector<float> states;
  BoundaryScores scores;

  explicit PoolCase(const BoundarySettings& settings) : tensors(settings), pool(read()) {
    states = tensors.random().numbers(kPlaces * settings.width);
    const auto matrix = [&] {
      Matrix values(test::kTextLabels, kPlaces);
      test::put(tensors.random().numbers(test::kTextLabels * kPlaces), values.view());
      return values;
    };
    scores.starts = matrix();
    scores.ends = matrix();
    for (size_t label = 0; label < test::kTextLabels; ++label) {
      std::vector<double>& sums = scores.insides.emplace_back(1, 0.0);
      for (size_t word = 0; word < test::kTextWords; ++word)
        sums.push_back(sums.back() + 0.1 * static_cast<double>(word));
    }
  }

  void add_block(const std::string& name) {
    const size_t pair = tensors.settings.pair_width;
    tensors.add_norm(name + "norm1", pair);
    tensors.add_norm(name + "norm2", pair);
    tensors.add(name + "ffn.0", 4 * pair, pair);
    tensors.add(name + "ffn.3", pair, 4 * pair);
  }
  BoundaryPool read() {
    const BoundarySettings& settings = tensors.settings;
    const size_t own = settings.width, pair = settings.pair_width;
    for (const char* name : {"start_projection", "end_projection"}) {
      tensors.add(kBuilder + name, own, own);
      tensors.add(kPooled + name, pair, own);
    }
    tensors.add(kPooled + "length_projection", pair, 3);
    tensors.add(kPooled + "prior_projection", pair, 1);
    tensors.add_content(kPooled);
    if (settings.has_content) tensors.add(kPooled + "content_projection", pair, settings.content.outputs());
    tensors.add_norm(kPooled + "candidate_norm", pair);
    for (size_t i = 0; i < settings.pool_layers; ++i) {
      const std::string name = kPooled + "candidate_layers." + std::to_string(i) + ".";
      tensors.add(name + "qkv", 3 * pair, pair);
      tensors.add(name + "output", pair, pair);
      biases = tensors.random().numbers(8 * settings.pool_heads);
      tensors.add_numbers(name + "relative_bias", {8, settings.pool_heads}, biases);
      add_block(name);
    }
    tensors.add(kPooled + "query_projection", pair, test::kEncoderWidth);
    for (size_t i = 0; i < settings.label_layers; ++i) {
      const std::string name = kPooled + "query_layers." + std::to_string(i) + ".";
      tensors.add(name + "query_in", pair, pair);
      tensors.add(name + "evidence_in", pair, pair);
      const test::Dense& qkv = attention.emplace(name, test::Dense(3 * pair, pair, tensors.random())).first->second;
      tensors.add_numbers(name + "attention.in_proj_weight", {3 * pair, pair}, qkv.weight);
      tensors.add_numbers(name + "attention.in_proj_bias", {3 * pair}, qkv.bias);
      tensors.add(name + "attention.out_proj", pair, pair);
      add_block(name);
    }
    tensors.add(kPooled + "film", 2 * pair, pair);
    tensors.add(kPooled + "film_output.0", 64, pair);
    tensors.add(kPooled + "film_output.3", 1, 64);
    return tensors.read([&](WeightReader& weights) { return BoundaryPool(weights, settings, test::kEncoderWidth); });
  }

  std::vector<ScoredPairs> run(size_t threads = 2, CpuFeatures features = detect_cpu_features()) const {
    test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 4, .threads = threads}, features);
    const ProductRunner products(setup.context(), pool.widest_input());
    const size_t width = tensors.settings.width;
    return pool.forward({states.data(), kPlaces, width, width}, tensors.word_view(), tensors.label_view(), scores,
                        products);
  }

  static double gelu(double x) { return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0))); }
  static void add_rows(test::DoubleRows& y, const test::DoubleRows& x) {
    for (size_t row = 0; row < y.size(); ++row) {
      for (size_t i = 0; i < y[row].size(); ++i) y[row][i] += x[row][i];
    }
  }
  template <class Bias>
  test::DoubleRows attended(const test::DoubleRows& qkv, const Bias& bias) const {
    const size_t width = tensors.settings.pair_width, heads = tensors.settings.pool_heads, dim = width / heads;
    test::DoubleRows y;
    for (size_t query = 0; query < qkv.size(); ++query) {
      test::Doubles context(width);
      for (size_t head = 0; head < heads; ++head) {
        double total = 0;
        for (size_t key = 0; key < qkv.size(); ++key) {
          double score = 0;
          for (size_t i = head * dim; i < (head + 1) * dim; ++i) score += qkv[query][i] * qkv[key][width + i];
          total += std::exp(score / std::sqrt(static_cast<double>(dim)) + bias(head, query, key));
        }
        for (size_t key = 0; key < qkv.size(); ++key) {
          double score = 0;
          for (size_t i = head * dim; i < (head + 1) * dim; ++i) score += qkv[query][i] * qkv[key][width + i];
          const double share = std::exp(score / std::sqrt(static_cast<double>(dim)) + bias(head, query, key)) / total;
          for (size_t i = head * dim; i < (head + 1) * dim; ++i) context[i] += share * qkv[key][2 * width + i];
        }
      }
      y.push_back(context);
    }
    return y;
  }
  test::DoubleRows normed(const std::string& name, const test::DoubleRows& x) const {
    test::DoubleRows y;
    for (const test::Doubles& row : x) y.push_back(tensors.norm(name, row));
    return y;
  }
  void feed_forward(const std::string& name, test::DoubleRows& x) const {
    test::DoubleRows inner = tensors.dense_rows(name + "ffn.0", normed(name + "norm2", x));
    for (test::Doubles& row : inner) std::transform(row.begin(), row.end(), row.begin(), gelu);
    add_rows(x, tensors.dense_rows(name + "ffn.3", inner));
  }
  double fit(const BoundaryPair& pair) const {
    const test::DoubleRows rows = test::BoundaryTensors::rows_of(states, tensors.settings.width);
    return test::dot_of(tensors.dense(kBuilder + "start_projection", rows[pair.start]),
                        tensors.dense(kBuilder + "end_projection", rows[pair.end])) /
           std::sqrt(static_cast<double>(tensors.settings.width));
  }

  test::DoubleRows exact_pairs(const std::vector<BoundaryPair>& pairs) const {
    const test::DoubleRows rows = test::BoundaryTensors::rows_of(states, tensors.settings.width);
    test::DoubleRows y;
    for (const BoundaryPair& pair : pairs) {
      const auto length = static_cast<double>(pair.words());
      test::DoubleRows sum = {tensors.dense(kPooled + "start_projection", rows[pair.start])};
      add_rows(sum, {tensors.dense(kPooled + "end_projection", rows[pair.end])});
      add_rows(sum, {tensors.dense(kPooled + "length_projection",
                                   {std::log1p(length), length / test::kTextWords, 1 / std::sqrt(length)})});
      add_rows(sum, {tensors.dense(kPooled + "prior_projection", {fit(pair)})});
      if (tensors.settings.has_content) {
        add_rows(sum, {tensors.dense(kPooled + "content_projection", tensors.content(kPooled, pair))});
      }
      y.push_back(tensors.norm(kPooled + "candidate_norm", sum[0]));
    }
    for (size_t i = 0; i < tensors.settings.pool_layers; ++i) {
      const std::string name = kPooled + "candidate_layers." + std::to_string(i) + ".";
      const test::DoubleRows context = attended(
          tensors.dense_rows(name + "qkv", normed(name + "norm1", y)), [&](size_t head, size_t query, size_t key) {
            const auto kind = static_cast<size_t>(relation(pairs[query], pairs[key]));
            return static_cast<double>(biases[kind * tensors.settings.pool_heads + head]);
          });
      add_rows(y, tensors.dense_rows(name + "output", context));
      feed_forward(name, y);
    }
    return y;
  }
  test::DoubleRows exact_labels(const test::DoubleRows& pairs) const {
    test::DoubleRows y = tensors.dense_rows(kPooled + "query_projection", tensors.label_rows());
    for (size_t i = 0; i < tensors.settings.label_layers; ++i) {
      const std::string name = kPooled + "query_layers." + std::to_string(i) + ".";
      test::DoubleRows evidence;
      for (const test::Doubles& label : y) {
        double total = 0;
        test::Doubles sum(label.size());
        for (const test::Doubles& pair : pairs) {
          const double share = std::exp(test::dot_of(pair, label));
          total += share;
          for (size_t c = 0; c < sum.size(); ++c) sum[c] += share * pair[c];
        }
        for (double& value : sum) value /= total;
        evidence.push_back(sum);
      }
      y = tensors.dense_rows(name + "query_in", y);
      add_rows(y, tensors.dense_rows(name + "evidence_in", evidence));
      test::DoubleRows qkv;
      for (const test::Doubles& row : normed(name + "norm1", y)) qkv.push_back(attention.at(name).exact(row));
      add_rows(y, tensors.dense_rows(name + "attention.out_proj", attended(qkv, [](auto...) { return 0.0; })));
      feed_forward(name, y);
    }
    return y;
  }
};

void expect_pool(const PoolCase& pool) {
  const std::vector<ScoredPairs> result = pool.run();
  const std::vector<BoundaryPair>& pairs = result[0].pairs;
  ASSERT_GT(pairs.size(), 2u);
  const test::DoubleRows candidates = pool.exact_pairs(pairs), labels = pool.exact_labels(candidates);
  const size_t width = pool.tensors.settings.pair_width;
  for (size_t label = 0; label < test::kTextLabels; ++label) {
    EXPECT_EQ(result[label].pairs, pairs);
    const test::Doubles change = pool.tensors.dense(kPooled + "film", labels[label]);
    for (size_t i = 0; i < pairs.size(); ++i) {
      test::Doubles changed(width);
      for (size_t c = 0; c < width; ++c) changed[c] = candidates[i][c] * (1 + change[c]) + change[width + c];
      test::Doubles inner = pool.tensors.dense(kPooled + "film_output.0", changed);
      std::transform(inner.begin(), inner.end(), inner.begin(), PoolCase::gelu);
      double score = test::dot_of(candidates[i], labels[label]) / std::sqrt(static_cast<double>(width));
      score += pool.tensors.dense(kPooled + "film_output.3", inner)[0];
      score += pool.scores.start(label, pairs[i]) + pool.scores.end(label, pairs[i]);
      if (pool.tensors.settings.uses_inside) score += pool.scores.inside(label, pairs[i]);
      EXPECT_NEAR(result[label].logits[i], score, 3e-5);
    }
  }
}

TEST(BoundaryPool, GivesTheScoresOfTheFormulas) {
  BoundarySettings settings = small_pool();
  expect_pool(PoolCase(settings));
  settings.has_content = true;
  settings.uses_inside = false;
  settings.pool_layers = 0;
  settings.label_layers = 2;
  expect_pool(PoolCase(settings));
}

TEST(BoundaryPool, GivesTheSameBitsOnAnyThreadsAndCpu) {
  const PoolCase pool(small_pool());
  const std::vector<ScoredPairs> plain = pool.run(1, CpuFeatures{});
  for (const char* isa : test::kKernelIsas) {
    if (!test::cpu_has(isa)) continue;
    const std::vector<ScoredPairs> result = pool.run(3, allowed_cpu_features(isa));
    for (size_t label = 0; label < test::kTextLabels; ++label) EXPECT_EQ(result[label].logits, plain[label].logits);
  }
}

// The pool has the best pair of each label, whatever the other scores are, and then the best pairs of all.
TEST(PooledPairs, ReserveThoseOfEachLabel) {
  BoundarySettings settings;
  settings.pool_size = 4;
  settings.pool_per_label = 1;
  BoundaryScores scores{Matrix(2, 4), Matrix(2, 4), {}};
  test::put({9, 8, 0, 0, 0, 0, 2, 0}, scores.starts.view());
  test::put({0, 0, 0, 9, 0, 1, 0, 1}, scores.ends.view());
  const auto fit = [](const BoundaryPair& pair) { return pair == BoundaryPair{1, 3} ? -0.5 : 0; };
  EXPECT_EQ(pooled_pairs(settings, scores, fit), (std::vector<BoundaryPair>{{0, 3}, {2, 3}, {1, 3}, {0, 1}}));
  settings.pool_boundaries = 2;  // keeps the starts 0 and 1 and the ends 3 and 1
  settings.pool_per_label = 0;
  EXPECT_EQ(pooled_pairs(settings, scores, fit), (std::vector<BoundaryPair>{{0, 3}, {1, 3}, {0, 1}}));
}

// The expected numbers are those of the reference's classify_overlap_buckets.
TEST(PairRelation, HasTheReferencesNumbers) {
  const auto number = [](const BoundaryPair& pair, const BoundaryPair& other) {
    return static_cast<size_t>(relation(pair, other));
  };
  EXPECT_EQ(number({2, 5}, {2, 5}), 0u);
  EXPECT_EQ(number({3, 4}, {2, 5}), 1u);
  EXPECT_EQ(number({1, 6}, {2, 5}), 2u);
  EXPECT_EQ(number({1, 4}, {2, 5}), 3u);
  EXPECT_EQ(number({2, 4}, {2, 5}), 4u);
  EXPECT_EQ(number({3, 5}, {2, 5}), 5u);
  EXPECT_EQ(number({0, 2}, {2, 5}), 6u);
  EXPECT_EQ(number({5, 6}, {2, 5}), 7u);
}

}  // namespace
}  // namespace bert
