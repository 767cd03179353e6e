#include "tasks/labels/gliner/span_scorer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "tests/support/isa.h"
#include "tests/tasks/labels/label_tensors.h"

namespace bert {
namespace {

constexpr size_t kMarkWidth = 6, kMarkWords = 7, kMarkLabels = 3, kMarkMaxWidth = 4;

struct MarkCase {
  bool has_inner;
  test::LabelTensors tensors;
  SpanScorer scorer;
  std::vector<float> words, labels;

  explicit MarkCase(bool has_inner_)
      : has_inner(has_inner_),
        scorer(read()),
        words(tensors.random().numbers(kMarkWords * kMarkWidth, 2.0f)),
        labels(tensors.random().numbers(kMarkLabels * kMarkWidth, 2.0f)) {}

  SpanScorer read() {
    const size_t inner = (has_inner ? 4 : 2) * kMarkWidth;
    for (const char* name : {"s.project_start", "s.project_end"}) {
      tensors.add(std::string(name) + ".0", inner, kMarkWidth);
      tensors.add(std::string(name) + ".3", kMarkWidth, inner);
    }
    if (has_inner) tensors.add("s.out_project.0", inner, 2 * kMarkWidth);
    tensors.add(has_inner ? "s.out_project.3" : "s.out_project", kMarkWidth, inner);
    return tensors.read(
        [&](WeightReader& weights) { return SpanScorer(weights, "s.", has_inner, kMarkWidth, kMarkMaxWidth); });
  }
  std::vector<ScoredSpan> spans(double threshold, size_t threads, CpuFeatures features = detect_cpu_features()) const {
    test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 4, .threads = threads}, features);
    const ProductRunner products(setup.context(), scorer.widest_input());
    return scorer.spans({words.data(), kMarkWords, kMarkWidth, kMarkWidth},
                        {labels.data(), kMarkLabels, kMarkWidth, kMarkWidth}, threshold, products);
  }
  test::Doubles through(const std::string& name, const test::Doubles& x) const {
    return tensors[name + ".3"].exact(test::relu_of(tensors[name + ".0"].exact(x)));
  }
  // Computes the reference's formula in float64, in its original order.
  double exact(size_t first, size_t last, size_t label) const {
    const auto row = [](const std::vector<float>& rows, size_t index) {
      const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(index * kMarkWidth);
      return test::Doubles(begin, begin + kMarkWidth);
    };
    test::Doubles both = through("s.project_start", row(words, first));
    const test::Doubles end = through("s.project_end", row(words, last));
    both.insert(both.end(), end.begin(), end.end());
    both = test::relu_of(both);
    const test::Doubles span = has_inner ? through("s.out_project", both) : tensors["s.out_project"].exact(both);
    double sum = 0;
    for (size_t i = 0; i < kMarkWidth; ++i) sum += span[i] * row(labels, label)[i];
    return 1 / (1 + std::exp(-sum));
  }
};

TEST(SpanScorer, GivesTheScoresOfTheFormulas) {
  for (const bool has_inner : {false, true}) {
    const MarkCase marks(has_inner);
    const std::vector<ScoredSpan> spans = marks.spans(0, 1);
    ASSERT_EQ(spans.size(), (4 * 4 + 3 + 2 + 1) * kMarkLabels);
    size_t next = 0, above = 0;
    for (size_t first = 0; first < kMarkWords; ++first) {
      for (size_t last = first; last < std::min(kMarkWords, first + kMarkMaxWidth); ++last) {
        for (size_t label = 0; label < kMarkLabels; ++label, ++next) {
          const ScoredSpan& span = spans[next];
          EXPECT_EQ(std::tie(span.first, span.last, span.label), std::tie(first, last, label));
          EXPECT_NEAR(span.score, marks.exact(first, last, label), 1e-6);
          above += span.score > 0.6 ? 1 : 0;
        }
      }
    }
    EXPECT_EQ(marks.spans(0.6, 2).size(), above);
    EXPECT_GT(above, 0u);
  }
}

TEST(SpanScorer, GivesTheSameBitsOnAnyThreadsAndCpu) {
  const MarkCase marks(true);
  const std::vector<ScoredSpan> plain = marks.spans(0.3, 1, CpuFeatures{});
  for (const char* isa : test::kKernelIsas) {
    if (!test::cpu_has(isa)) continue;
    const std::vector<ScoredSpan> spans = marks.spans(0.3, 3, allowed_cpu_features(isa));
    ASSERT_EQ(spans.size(), plain.size());
    for (size_t i = 0; i < spans.size(); ++i) EXPECT_EQ(spans[i].score, plain[i].score) << isa;
  }
}

}  // namespace
}  // namespace bert
