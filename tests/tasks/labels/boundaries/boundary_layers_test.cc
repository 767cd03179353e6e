#include "tasks/labels/boundaries/boundary_layers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tasks/labels/boundaries/boundary_tensors.h"

namespace bert {
namespace {

struct HeadCase {
  test::BoundaryTensors tensors;
  BoundaryLayers layers;

  explicit HeadCase(const BoundarySettings& settings) : tensors(settings), layers(read()) {}

  BoundaryLayers read() {
    tensors.add_states();
    tensors.add_scores();
    tensors.add_pairs();
    if (tensors.settings.can_abstain) tensors.add("boundary_head.null_projection", 1, test::kEncoderWidth);
    if (tensors.settings.has_count) tensors.add("boundary_head.count_head", 1, test::kEncoderWidth);
    return tensors.read(
        [&](WeightReader& weights) { return BoundaryLayers(weights, tensors.settings, test::kEncoderWidth); });
  }
  std::vector<ScoredSpan> spans(double threshold) const {
    test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 4, .threads = 2});
    const ProductRunner products(setup.context(), layers.widest_input());
    return layers.spans(tensors.word_view(), tensors.label_view(), threshold, products);
  }
  double of_label(const char* name, size_t label) const {
    return tensors.dense(std::string("boundary_head.") + name, tensors.label_rows()[label])[0];
  }
};

BoundarySettings plain_head() {
  BoundarySettings settings = test::small_boundaries();
  settings.can_abstain = settings.has_count = false;
  return settings;
}

TEST(BoundaryLayers, GiveTheSpansAboveTheThreshold) {
  const HeadCase head(plain_head());
  const std::vector<ScoredSpan> all = head.spans(-1);
  EXPECT_EQ(all.size(), test::kTextLabels * (test::kTextWords * (test::kTextWords + 1) / 2));
  const double threshold = all[all.size() / 2].score;
  const auto above = std::count_if(all.begin(), all.end(), [&](const ScoredSpan& span) {
    return static_cast<float>(span.score) > static_cast<float>(threshold);
  });
  EXPECT_EQ(head.spans(threshold).size(), static_cast<size_t>(above));
  for (const ScoredSpan& span : all) {
    EXPECT_LE(span.first, span.last);
    EXPECT_LT(span.last, test::kTextWords);
  }
}

// A temperature divides the logits.
TEST(BoundaryLayers, DivideByTheTemperature) {
  BoundarySettings settings = plain_head();
  const std::vector<ScoredSpan> hot = HeadCase(settings).spans(-1);
  settings.pair_temperature = 2.5;
  const std::vector<ScoredSpan> cold = HeadCase(settings).spans(-1);
  ASSERT_EQ(hot.size(), cold.size());
  const auto logit = [](double p) { return std::log(p / (1 - p)); };
  for (size_t i = 0; i < hot.size(); ++i) EXPECT_NEAR(logit(hot[i].score), 2.5 * logit(cold[i].score), 1e-3);
}

TEST(BoundaryLayers, FindNothingWithALabelThatIsAbsent) {
  BoundarySettings settings = plain_head();
  settings.can_abstain = true;
  std::vector<double> absences;
  const HeadCase any(settings);
  for (size_t label = 0; label < test::kTextLabels; ++label) {
    absences.push_back(test::sigmoid_of(any.of_label("null_projection", label)));
  }
  std::vector<double> sorted = absences;
  std::sort(sorted.begin(), sorted.end());
  settings.abstention_threshold = (sorted[0] + sorted[1]) / 2;  // one label stays
  const std::vector<ScoredSpan> spans = HeadCase(settings).spans(-1);
  ASSERT_FALSE(spans.empty());
  for (const ScoredSpan& span : spans) EXPECT_EQ(absences[span.label], sorted[0]);
}

TEST(BoundaryLayers, FindAsManySpansAsTheyExpect) {
  BoundarySettings settings = plain_head();
  settings.has_count = settings.adapts_threshold = true;
  const HeadCase head(settings);
  const std::vector<ScoredSpan> spans = head.spans(1);  // no span has such a score
  size_t expected = 0;
  for (size_t label = 0; label < test::kTextLabels; ++label) {
    expected += static_cast<size_t>(std::nearbyint(std::exp(head.of_label("count_head", label))));
  }
  EXPECT_GT(expected, 0u);
  EXPECT_EQ(spans.size(), expected);
}

}  // namespace
}  // namespace bert
