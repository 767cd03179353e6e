#include "tasks/labels/gliclass/gliclass_layers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/tasks/labels/label_tensors.h"

namespace bert {
namespace {

constexpr size_t kClassWidth = 6, kClassLabels = 4;
constexpr float kClassScale = 1.5f;

struct ClassFixture {
  ClassSettings settings;
  test::LabelTensors tensors;
  std::vector<float> labels, tokens;

  explicit ClassFixture(ClassSettings chosen = {}) : settings(std::move(chosen)) {
    settings.text.hidden_size = settings.hidden_size = kClassWidth;
    for (const char* name : {"text_projector", "classes_projector"}) {
      tensors.add(std::string("model.") + name + ".linear_1", kClassWidth, kClassWidth);
      tensors.add(std::string("model.") + name + ".linear_2", kClassWidth, kClassWidth);
    }
    settings.activation = Activation::kRelu;
    tensors.add({"model.logit_scale", "F32", {}, test::bytes_of(std::vector<float>{kClassScale})});
    if (settings.scorer == ClassScorer::kTwoVectors) {
      tensors.add("model.scorer.mlp.0", 256, 2 * kClassWidth);
      tensors.add("model.scorer.mlp.2", 128, 256);
      tensors.add("model.scorer.mlp.4", 1, 128);
    }
    labels = tensors.random().numbers(kClassLabels * kClassWidth);
    tokens = tensors.random().numbers(5 * kClassWidth);
  }

  ClassLayers read() {
    return tensors.read([&](WeightReader& weights) { return ClassLayers(settings, weights); });
  }
  ConstMatrixView label_rows() const { return {labels.data(), kClassLabels, kClassWidth, kClassWidth}; }
  ConstMatrixView token_rows() const { return {tokens.data(), 5, kClassWidth, kClassWidth}; }

  test::Doubles projected(const std::string& name, const test::Doubles& x) const {
    const std::string layers = "model." + name + ".linear_";
    return tensors[layers + "2"].exact(test::relu_of(tensors[layers + "1"].exact(x)));
  }
  double mlp(const test::Doubles& x) const {
    const test::Doubles second =
        test::relu_of(tensors["model.scorer.mlp.2"].exact(test::relu_of(tensors["model.scorer.mlp.0"].exact(x))));
    return tensors["model.scorer.mlp.4"].exact(second)[0];
  }
};

test::Doubles row_of(const std::vector<float>& rows, size_t index) {
  const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(index * kClassWidth);
  return {begin, begin + kClassWidth};
}

std::vector<float> pooled_by(ClassPooling pooling, size_t zeros) {
  ClassFixture fixture({.pooling = pooling});
  // The projection is the identity, so that the pooled vector stays unchanged.
  std::vector<float> identity(kClassWidth * kClassWidth, 0.0f);
  for (size_t i = 0; i < kClassWidth; ++i) identity[i * kClassWidth + i] = 1;
  for (const char* layer : {"linear_1", "linear_2"}) {
    auto& dense = const_cast<test::Dense&>(fixture.tensors[std::string("model.text_projector.") + layer]);
    dense.weight = identity;
    dense.bias.assign(kClassWidth, 0.0f);
  }
  fixture.settings.activation = Activation::kIdentity;
  const ClassLayers layers = fixture.read();
  test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 4});
  const ProductRunner products(setup.context(), layers.widest_input());
  const std::vector<size_t> starts = {0, 5}, all_zeros = {zeros};
  return test::get(std::as_const(layers).texts(fixture.token_rows(), starts, all_zeros, products).view());
}

TEST(ClassLayers, PoolATextsTokens) {
  const ClassFixture fixture;
  const auto at = [&](size_t row, size_t i) { return static_cast<double>(fixture.tokens[row * kClassWidth + i]); };
  for (const size_t zeros : {size_t{0}, size_t{3}}) {
    const double count = 5.0 + static_cast<double>(zeros);
    for (size_t i = 0; i < kClassWidth; ++i) {
      double sum = 0, absolute = 0, squares = 0, most = zeros > 0 ? 0 : -1e9, absolute_most = 0;
      for (size_t row = 0; row < 5; ++row) {
        sum += at(row, i);
        absolute += std::abs(at(row, i));
        squares += at(row, i) * at(row, i);
        most = std::max(most, at(row, i));
        absolute_most = std::max(absolute_most, std::abs(at(row, i)));
      }
      EXPECT_NEAR(pooled_by(ClassPooling::kFirst, zeros)[i], at(0, i), 1e-7);
      EXPECT_NEAR(pooled_by(ClassPooling::kLast, zeros)[i], zeros > 0 ? 0 : at(4, i), 1e-7);
      EXPECT_NEAR(pooled_by(ClassPooling::kMean, zeros)[i], sum / count, 1e-6);
      EXPECT_NEAR(pooled_by(ClassPooling::kSum, zeros)[i], sum, 1e-6);
      EXPECT_NEAR(pooled_by(ClassPooling::kMax, zeros)[i], most, 1e-7);
      EXPECT_NEAR(pooled_by(ClassPooling::kRootMeanSquare, zeros)[i], std::sqrt(squares / count), 1e-6);
      EXPECT_NEAR(pooled_by(ClassPooling::kAbsoluteMean, zeros)[i], absolute / count, 1e-6);
      EXPECT_NEAR(pooled_by(ClassPooling::kAbsoluteMax, zeros)[i], absolute_most, 1e-7);
    }
  }
}

TEST(ClassLayers, ProjectAndNormalize) {
  for (const bool normalizes : {false, true}) {
    ClassFixture fixture({.normalizes = normalizes});
    const ClassLayers layers = fixture.read();
    test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 4});
    const ProductRunner products(setup.context(), layers.widest_input());
    const Matrix labels = layers.labels(fixture.label_rows(), products);
    for (size_t label = 0; label < kClassLabels; ++label) {
      const test::Doubles exact = fixture.projected("classes_projector", row_of(fixture.labels, label));
      double norm = 0;
      for (const double x : exact) norm += x * x;
      for (size_t i = 0; i < kClassWidth; ++i) {
        EXPECT_NEAR(labels.view().row(label)[i], normalizes ? exact[i] / std::sqrt(norm) : exact[i], 2e-6);
      }
    }
  }
}

std::vector<float> logits_of(ClassFixture& fixture, CpuFeatures features = detect_cpu_features()) {
  const ClassLayers layers = fixture.read();
  test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 4, .threads = 2}, features);
  const ProductRunner products(setup.context(), layers.widest_input());
  return layers.logits(fixture.token_rows().row_range(0, 1), fixture.label_rows(), products);
}

TEST(ClassLayers, ScoreByTheDotProductWhoseScaleIsOfNormalizedVectors) {
  for (const bool normalizes : {false, true}) {
    ClassFixture fixture({.normalizes = normalizes});
    const std::vector<float> logits = logits_of(fixture);
    for (size_t label = 0; label < kClassLabels; ++label) {
      double sum = 0;
      for (size_t i = 0; i < kClassWidth; ++i) {
        sum += row_of(fixture.tokens, 0)[i] * row_of(fixture.labels, label)[i];
      }
      EXPECT_NEAR(logits[label], normalizes ? sum * kClassScale : sum, 2e-6);
    }
  }
}

TEST(ClassLayers, ScoreByBothVectors) {
  ClassFixture fixture({.scorer = ClassScorer::kTwoVectors});
  const std::vector<float> logits = logits_of(fixture);
  for (size_t label = 0; label < kClassLabels; ++label) {
    test::Doubles both = row_of(fixture.tokens, 0);
    const test::Doubles second = row_of(fixture.labels, label);
    both.insert(both.end(), second.begin(), second.end());
    EXPECT_NEAR(logits[label], fixture.mlp(both), 2e-6);
  }
}

TEST(ClassLayers, HaveTheSameBitsOnEveryCpu) {
  for (const ClassScorer scorer : {ClassScorer::kDot, ClassScorer::kTwoVectors}) {
    ClassFixture fixture({.scorer = scorer});
    EXPECT_EQ(logits_of(fixture), logits_of(fixture, CpuFeatures{}));
  }
}

}  // namespace
}  // namespace bert
