#include "tasks/labels/boundaries/boundary_layers.h"

#include <algorithm>
#include <cmath>

#include "models/encoder/probabilities.h"

namespace bert {
namespace {

using EitherPairs = std::variant<BoundaryPairScorer, BoundaryPool>;

EitherPairs read_pairs(WeightReader& weights, const BoundarySettings& settings, size_t width) {
  if (settings.shares_candidates) return BoundaryPool(weights, settings, width);
  return BoundaryPairScorer(weights, settings, width);
}

}  // namespace

BoundaryLayers::BoundaryLayers(WeightReader& weights, const BoundarySettings& settings, size_t width)
    : settings_(settings),
      states_(weights, settings, width),
      scorer_(weights, settings.width, width),
      pairs_(read_pairs(weights, settings, width)) {
  if (settings.can_abstain) absence_ = read_dense(weights, "boundary_head.null_projection", 1, width);
  if (settings.has_count) count_ = read_dense(weights, "boundary_head.count_head", 1, width);
  widest_input_ = std::visit([](const auto& pairs) { return pairs.widest_input(); }, pairs_);
  widest_input_ = std::max(widest_input_, states_.widest_input());
}

size_t BoundaryLayers::expected_spans(float logarithm, size_t candidates) const {
  const double count = std::nearbyint(std::exp(static_cast<double>(logarithm)));
  return static_cast<size_t>(std::clamp(count, 0.0, static_cast<double>(candidates)));
}

std::vector<ScoredSpan> BoundaryLayers::spans(ConstMatrixView words, ConstMatrixView labels, double threshold,
                                              const ProductRunner& products) const {
  const Matrix states = states_.forward(words, products);
  const BoundaryScores scores = scorer_.forward(states.view(), words, labels, products);
  const std::vector<ScoredPairs> pairs = std::visit(
      [&](const auto& scorer) { return scorer.forward(states.view(), words, labels, scores, products); }, pairs_);
  Matrix absences, counts;
  if (absence_) absences = apply(*absence_, labels, products);
  if (settings_.adapts_threshold) counts = apply(*count_, labels, products);

  std::vector<ScoredSpan> spans;
  for (size_t label = 0; label < labels.rows; ++label) {
    if (absence_ && probability(static_cast<double>(absences.view().row(label)[0])) > settings_.abstention_threshold) {
      continue;
    }
    // Compared with the threshold as float32 numbers, as in the reference; float64 also orders
    // numbers near 1.
    std::vector<double> values;
    for (const double logit : pairs[label].logits) values.push_back(probability(logit / settings_.pair_temperature));
    std::vector<bool> expected(values.size(), false);
    if (settings_.adapts_threshold) {
      const std::vector<float> narrow(values.begin(), values.end());
      for (const size_t i : largest(narrow, expected_spans(counts.view().row(label)[0], values.size()))) {
        expected[i] = true;
      }
    }
    for (size_t i = 0; i < values.size(); ++i) {
      if (!(static_cast<float>(values[i]) > static_cast<float>(threshold)) && !expected[i]) continue;
      const BoundaryPair& pair = pairs[label].pairs[i];
      spans.push_back({pair.start, pair.end - 1, label, values[i]});
    }
  }
  return spans;
}

}  // namespace bert
