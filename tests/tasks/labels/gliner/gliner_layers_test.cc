#include "tasks/labels/gliner/gliner_layers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/compare.h"
#include "tests/support/expect_error.h"
#include "tests/support/isa.h"
#include "tests/tasks/labels/label_tensors.h"

namespace bert {
namespace {

constexpr size_t kLabelWidth = 6, kLabelWords = 7, kLabelCount = 3, kLabelMaxWidth = 4;
const std::string kSpanLayer = "span_rep_layer.span_rep_layer.";

// The tensors of one of GLiNER's forms, by name.
class GlinerTensors {
 public:
  explicit GlinerTensors(EntityForm form) : form_(form) {
    if (form == EntityForm::kWords) {
      add("scorer.proj_token", 2 * kLabelWidth, kLabelWidth);
      add("scorer.proj_label", 2 * kLabelWidth, kLabelWidth);
      add("scorer.out_mlp.0", 4 * kLabelWidth, 3 * kLabelWidth);
      add("scorer.out_mlp.3", 3, 4 * kLabelWidth);
    } else {
      const size_t inner = (form == EntityForm::kMarker ? 2 : 4) * kLabelWidth;
      for (const char* part : {"project_start", "project_end"}) add_two(kSpanLayer + part, kLabelWidth, inner);
      add_two("prompt_rep_layer", kLabelWidth, 4 * kLabelWidth);
      if (form == EntityForm::kMarker) {
        add(kSpanLayer + "out_project", kLabelWidth, 2 * kLabelWidth);
      } else {
        add_two(kSpanLayer + "out_project", 2 * kLabelWidth, 4 * kLabelWidth);
      }
    }
  }

  GlinerLayers read() {
    return tensors_.read([&](WeightReader& weights) {
      const GlinerSettings settings{
          .form = form_, .hidden_size = kLabelWidth, .max_width = kLabelMaxWidth, .lstm_layers = 0};
      return GlinerLayers(settings, kLabelWidth, 0, weights);
    });
  }

  // Computes the reference's formulas in float64, in their original order: for a span, or for the three scores of a
  // word.
  test::Doubles mlp(const std::string& name, const test::Doubles& x) const {
    return tensors_[name + ".3"].exact(test::relu_of(tensors_[name + ".0"].exact(x)));
  }
  double span_score(const test::Doubles& first, const test::Doubles& last, const test::Doubles& label) const {
    test::Doubles both = mlp(kSpanLayer + "project_start", first);
    const test::Doubles end = mlp(kSpanLayer + "project_end", last);
    both.insert(both.end(), end.begin(), end.end());
    both = test::relu_of(both);
    const test::Doubles span = form_ == EntityForm::kMarker ? tensors_[kSpanLayer + "out_project"].exact(both)
                                                            : mlp(kSpanLayer + "out_project", both);
    const test::Doubles prompt = mlp("prompt_rep_layer", label);
    double sum = 0;
    for (size_t i = 0; i < kLabelWidth; ++i) sum += span[i] * prompt[i];
    return sigmoid_of(sum);
  }
  test::Doubles word_scores(const test::Doubles& word, const test::Doubles& label) const {
    const test::Doubles a = tensors_["scorer.proj_token"].exact(word), b = tensors_["scorer.proj_label"].exact(label);
    test::Doubles all(a.begin(), a.begin() + kLabelWidth);
    all.insert(all.end(), b.begin(), b.begin() + kLabelWidth);
    for (size_t i = kLabelWidth; i < 2 * kLabelWidth; ++i) all.push_back(a[i] * b[i]);
    test::Doubles scores = mlp("scorer.out_mlp", all);
    for (double& score : scores) score = sigmoid_of(score);
    return scores;
  }

 private:
  static double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }
  void add(const std::string& name, size_t out, size_t in) { tensors_.add(name, out, in); }
  void add_two(const std::string& name, size_t in, size_t inner) {
    add(name + ".0", inner, in);
    add(name + ".3", kLabelWidth, inner);
  }

  EntityForm form_;
  test::LabelTensors tensors_;
};

struct WordsAndLabels {
  test::Random random{9};
  std::vector<float> words = random.numbers(kLabelWords * kLabelWidth, 2.0f);
  std::vector<float> labels = random.numbers(kLabelCount * kLabelWidth, 2.0f);

  static test::Doubles row(const std::vector<float>& rows, size_t index) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(index * kLabelWidth);
    return {begin, begin + kLabelWidth};
  }
  std::vector<ScoredSpan> spans(const GlinerLayers& layers, double threshold, size_t threads,
                                CpuFeatures features = detect_cpu_features()) const {
    test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 4, .threads = threads}, features);
    const ProductRunner products(setup.context(), layers.widest_input());
    return layers.spans({words.data(), kLabelWords, kLabelWidth, kLabelWidth},
                        {labels.data(), kLabelCount, kLabelWidth, kLabelWidth}, threshold, products);
  }
};

class GlinerSpans : public ::testing::TestWithParam<EntityForm> {};

TEST_P(GlinerSpans, HaveTheScoresOfTheReferencesFormulas) {
  GlinerTensors tensors(GetParam());
  const GlinerLayers layers = tensors.read();
  const WordsAndLabels input;
  const std::vector<ScoredSpan> spans = input.spans(layers, 0, 1);
  ASSERT_EQ(spans.size(), (4 * 4 + 3 + 2 + 1) * kLabelCount);
  size_t next = 0;
  for (size_t first = 0; first < kLabelWords; ++first) {
    for (size_t last = first; last < std::min(kLabelWords, first + kLabelMaxWidth); ++last) {
      for (size_t label = 0; label < kLabelCount; ++label, ++next) {
        const ScoredSpan& span = spans[next];
        EXPECT_EQ(std::tie(span.first, span.last, span.label), std::tie(first, last, label));
        EXPECT_NEAR(span.score,
                    tensors.span_score(input.row(input.words, first), input.row(input.words, last),
                                       input.row(input.labels, label)),
                    1e-6);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Markers, GlinerSpans, ::testing::Values(EntityForm::kMarker, EntityForm::kMarkerV0));

TEST(GlinerWords, MakeSpansOfBeginningsEndsAndInsides) {
  GlinerTensors tensors(EntityForm::kWords);
  const GlinerLayers layers = tensors.read();
  const WordsAndLabels input;
  constexpr double kThreshold = 0.3;
  std::vector<ScoredSpan> expected;
  for (size_t first = 0; first < kLabelWords; ++first) {
    for (size_t label = 0; label < kLabelCount; ++label) {
      const auto of = [&](size_t word) {
        return tensors.word_scores(input.row(input.words, word), input.row(input.labels, label));
      };
      double least = of(first)[0];
      if (least <= kThreshold) continue;
      for (size_t last = first; last < kLabelWords; ++last) {
        const test::Doubles scores = of(last);
        if (scores[2] < kThreshold) break;
        least = std::min(least, scores[2]);
        if (scores[1] > kThreshold) expected.push_back({first, last, label, std::min(least, scores[1])});
      }
    }
  }
  const std::vector<ScoredSpan> spans = input.spans(layers, kThreshold, 1);
  ASSERT_EQ(spans.size(), expected.size());
  EXPECT_GT(expected.size(), 3u);
  for (size_t i = 0; i < spans.size(); ++i) {
    EXPECT_EQ(std::tie(spans[i].first, spans[i].last, spans[i].label),
              std::tie(expected[i].first, expected[i].last, expected[i].label));
    EXPECT_NEAR(spans[i].score, expected[i].score, 1e-6);
  }
}

TEST(GlinerLayers, GiveTheSameBitsOnAnyThreadsAndCpu) {
  for (const EntityForm form : {EntityForm::kMarker, EntityForm::kMarkerV0, EntityForm::kWords}) {
    GlinerTensors tensors(form);
    const GlinerLayers layers = tensors.read();
    const WordsAndLabels input;
    const std::vector<ScoredSpan> plain = input.spans(layers, 0.3, 1, CpuFeatures{});
    for (const char* isa : test::kKernelIsas) {
      if (!test::cpu_has(isa)) continue;
      const std::vector<ScoredSpan> spans = input.spans(layers, 0.3, 3, allowed_cpu_features(isa));
      ASSERT_EQ(spans.size(), plain.size());
      for (size_t i = 0; i < spans.size(); ++i) EXPECT_EQ(spans[i].score, plain[i].score) << isa;
    }
  }
}

}  // namespace
}  // namespace bert
