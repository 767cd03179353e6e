#include "tasks/labels/boundaries/boundary_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/isa.h"
#include "tests/tasks/labels/boundaries/boundary_tensors.h"

namespace bert {
namespace {

const std::string kProposer = "boundary_head.boundary_proposer.", kScorer = "boundary_head.pair_scorer.";
constexpr size_t kBoundaries = test::kTextWords + 1;

BoundaryScores random_scores(test::Random& random) {
  const auto matrix = [&] {
    Matrix scores(test::kTextLabels, kBoundaries);
    test::put(random.numbers(test::kTextLabels * kBoundaries), scores.view());
    return scores;
  };
  BoundaryScores scores{matrix(), matrix(), {}};
  for (size_t label = 0; label < test::kTextLabels; ++label) {
    std::vector<double>& sums = scores.insides.emplace_back(1, 0.0);
    for (const float value : random.numbers(test::kTextWords)) {
      sums.push_back(sums.back() + static_cast<double>(value));
    }
  }
  return scores;
}

struct PairsCase {
  test::BoundaryTensors tensors;
  BoundaryPairScorer pairs;
  std::vector<float> states;
  BoundaryScores scores;

  explicit PairsCase(const BoundarySettings& settings)
      : tensors(settings),
        pairs(read()),
        states(tensors.random().numbers(kBoundaries * settings.width)),
        scores(random_scores(tensors.random())) {}

  BoundaryPairScorer read() {
    tensors.add_pairs();
    return tensors.read(
        [&](WeightReader& weights) { return BoundaryPairScorer(weights, tensors.settings, test::kEncoderWidth); });
  }

  std::vector<ScoredPairs> run(size_t threads = 2, CpuFeatures features = detect_cpu_features()) const {
    test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 4, .threads = threads}, features);
    const ProductRunner products(setup.context(), pairs.widest_input());
    const size_t width = tensors.settings.width;
    return pairs.forward({states.data(), kBoundaries, width, width}, tensors.word_view(), tensors.label_view(), scores,
                         products);
  }

  // Returns a boundary's vector after a layer, rotated by its place.
  test::Doubles end_vector(const std::string& layer, size_t boundary) const {
    test::Doubles x = tensors.dense(layer, test::BoundaryTensors::rows_of(states, tensors.settings.width)[boundary]);
    if (!tensors.settings.rotates_ends) return x;
    test::Doubles y(x.size());
    for (size_t i = 0; i < x.size(); i += 2) {
      const double exponent = static_cast<double>(i) / static_cast<double>(x.size());
      const double angle = static_cast<double>(boundary) / std::pow(tensors.settings.rotary_base, exponent);
      y[i] = x[i] * std::cos(angle) - x[i + 1] * std::sin(angle);
      y[i + 1] = x[i] * std::sin(angle) + x[i + 1] * std::cos(angle);
    }
    return y;
  }
  test::Doubles gates(const std::string& layer, size_t label) const {
    test::Doubles gates;
    for (const double value : tensors.dense(layer, tensors.label_rows()[label])) {
      gates.insert(gates.end(), tensors.settings.rotates_ends ? 2 : 1, test::sigmoid_of(value));
    }
    return gates;
  }
  double fit(size_t label, const BoundaryPair& pair) const {
    const test::Doubles start = end_vector(kProposer + "start_pair_projection", pair.start),
                        end = end_vector(kProposer + "end_key_projection", pair.end),
                        gate = gates(kProposer + "start_query_projection", label);
    double sum = 0;
    for (size_t i = 0; i < gate.size(); ++i) sum += start[i] * gate[i] * end[i];
    return sum / std::sqrt(static_cast<double>(gate.size()));
  }

  // Returns a pair's score by adding its terms one after the other.
  double exact(size_t label, const BoundaryPair& pair) const {
    const BoundarySettings& settings = tensors.settings;
    const test::Doubles query = tensors.label_rows()[label];
    double score = scores.start(label, pair) + scores.end(label, pair) + fit(label, pair);
    const test::Doubles start = end_vector(kScorer + "start_endpoint_projection", pair.start),
                        end = end_vector(kScorer + "end_endpoint_projection", pair.end),
                        gate = gates(kScorer + "query_gate", label);
    const size_t heads = settings.compatibility_heads, dim = settings.pair_width / heads;
    test::Doubles parts(heads), differences, distances;
    for (size_t i = 0; i < gate.size(); ++i) {
      parts[i / dim] += start[i] * gate[i] * end[i];
      differences.push_back(start[i] - end[i]);
      distances.push_back(std::abs(start[i] - end[i]));
    }
    if (settings.has_compatibility) {
      score += tensors.dense(kScorer + "compat_mix", parts)[0] / std::sqrt(static_cast<double>(settings.pair_width));
    }
    if (settings.has_differences) {
      score += tensors.dense(kScorer + "endpoint_difference_projection", test::joined(differences, distances))[0];
    }
    if (settings.has_content) {
      const test::Doubles content = tensors.content(kScorer, pair);
      score += test::dot_of(content, tensors.dense(kScorer + "content_query_projection", query)) /
               std::sqrt(static_cast<double>(content.size()));
      score += tensors.dense(kScorer + "content_bias", content)[0];
    }
    if (settings.uses_inside) {
      const double weight = settings.label_weighs_inside ? tensors.dense(kScorer + "inside_weight", query)[0] : 1.25;
      score += weight * scores.inside(label, pair);
    }
    const auto length = static_cast<double>(pair.words());
    return score + test::dot_of(tensors.dense(kScorer + "length_query_projection", query),
                                {std::log1p(length), length / test::kTextWords, 1 / std::sqrt(length)});
  }

  // Returns the candidates that are found by sorting all pairs.
  std::vector<BoundaryPair> expected_candidates(size_t label) const {
    const BoundarySettings& settings = tensors.settings;
    const auto proposal = [&](const BoundaryPair& pair) {
      return fit(label, pair) + scores.start(label, pair) + scores.end(label, pair);
    };
    std::vector<BoundaryPair> candidates;
    for (const bool of_starts : {true, false}) {
      if (!of_starts && !settings.both_directions) continue;
      const Matrix& own = of_starts ? scores.starts : scores.ends;
      const size_t tried = of_starts ? settings.best_starts : settings.best_ends;
      for (const size_t boundary : largest({own.view().row(label), kBoundaries}, tried)) {
        std::vector<BoundaryPair> partners;
        for (size_t other = 0; other < kBoundaries; ++other) {
          if (of_starts ? other > boundary : other < boundary) {
            partners.push_back(of_starts ? BoundaryPair{boundary, other} : BoundaryPair{other, boundary});
          }
        }
        std::sort(partners.begin(), partners.end(),
                  [&](const BoundaryPair& a, const BoundaryPair& b) { return proposal(a) > proposal(b); });
        partners.resize(std::min(partners.size(), of_starts ? settings.ends_per_start : settings.starts_per_end));
        candidates.insert(candidates.end(), partners.begin(), partners.end());
      }
    }
    std::sort(candidates.begin(), candidates.end(),
              [&](const BoundaryPair& a, const BoundaryPair& b) { return proposal(a) > proposal(b); });
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    candidates.resize(std::min(candidates.size(), settings.candidates));
    return candidates;
  }
};

void expect_exact(const PairsCase& pairs) {
  const std::vector<ScoredPairs> result = pairs.run();
  ASSERT_EQ(result.size(), test::kTextLabels);
  for (size_t label = 0; label < test::kTextLabels; ++label) {
    EXPECT_EQ(result[label].pairs, pairs.expected_candidates(label));
    for (size_t i = 0; i < result[label].pairs.size(); ++i) {
      EXPECT_NEAR(result[label].logits[i], pairs.exact(label, result[label].pairs[i]), 1e-5);
    }
  }
}

TEST(BoundaryPairScorer, ScoresAllPairsOfAShortText) {
  const PairsCase pairs(test::small_boundaries());
  expect_exact(pairs);
  EXPECT_EQ(pairs.run()[0].pairs.size(), kBoundaries * (kBoundaries - 1) / 2);
}

TEST(BoundaryPairScorer, ScoresTheBestCandidates) {
  BoundarySettings settings = test::small_boundaries();
  settings.best_starts = 3;
  settings.best_ends = 2;
  settings.ends_per_start = 2;
  settings.starts_per_end = 3;
  expect_exact(PairsCase(settings));
  settings.both_directions = false;
  settings.candidates = 4;
  const PairsCase fewer(settings);
  expect_exact(fewer);
  EXPECT_EQ(fewer.run()[0].pairs.size(), 4u);
}

TEST(BoundaryPairScorer, HasTheTermsOfItsSettings) {
  BoundarySettings settings = test::small_boundaries();
  settings.rotates_ends = settings.has_differences = settings.has_content = settings.label_weighs_inside = true;
  expect_exact(PairsCase(settings));
  settings.content.has_maximum = true;
  settings.has_compatibility = settings.uses_inside = false;
  expect_exact(PairsCase(settings));
}

TEST(BoundaryPairScorer, GivesTheSameBitsOnAnyThreadsAndCpu) {
  BoundarySettings settings = test::small_boundaries();
  settings.has_content = true;
  const PairsCase pairs(settings);
  const std::vector<ScoredPairs> plain = pairs.run(1, CpuFeatures{});
  for (const char* isa : test::kKernelIsas) {
    if (!test::cpu_has(isa)) continue;
    const std::vector<ScoredPairs> result = pairs.run(3, allowed_cpu_features(isa));
    for (size_t label = 0; label < test::kTextLabels; ++label) EXPECT_EQ(result[label].logits, plain[label].logits);
  }
}

}  // namespace
}  // namespace bert
