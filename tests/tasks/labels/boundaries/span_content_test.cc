#include "tasks/labels/boundaries/span_content.h"

#include <gtest/gtest.h>

#include "tests/support/compare.h"
#include "tests/tasks/labels/boundaries/boundary_tensors.h"

namespace bert {
namespace {

TEST(SpanContent, IsTheMeanAndTheSmoothMaximumOfTheWords) {
  for (const bool has_maximum : {false, true}) {
    BoundarySettings settings = test::small_boundaries();
    settings.has_content = true;
    settings.content.has_maximum = has_maximum;
    test::BoundaryTensors tensors(settings);
    tensors.add_content("s.");
    const SpanContent content = tensors.read([&](WeightReader& weights) {
      return SpanContent(weights, "s.content_pooler.", settings.content, test::kEncoderWidth);
    });
    const std::vector<BoundaryPair> pairs = {{0, 1}, {0, 7}, {2, 5}, {6, 7}};
    test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 4, .threads = 2});
    const ProductRunner products(setup.context(), test::kEncoderWidth);
    const Matrix y = content.forward(tensors.word_view(), pairs, products);
    test::Doubles exact;
    for (const BoundaryPair& pair : pairs) exact = test::joined(exact, tensors.content("s.", pair));
    EXPECT_TRUE(test::within(3e-6, test::get(y.view()), exact)) << has_maximum;
  }
}

// One word's value is far smaller than those before it. The reference limits its difference of logarithms to at least
// 1e-6.
TEST(SpanContent, LimitsTheSmoothMaximumAsTheReferenceDoes) {
  test::LabelTensors tensors;
  const std::vector<float> one = {1}, zero = {0}, two = {1, 1}, none = {0, 0};
  tensors.add({"s.value_projection.weight", "F32", {1, 1}, test::bytes_of(one)});
  tensors.add({"s.value_projection.bias", "F32", {1}, test::bytes_of(zero)});
  tensors.add({"s.layer_norm.weight", "F32", {2}, test::bytes_of(two)});
  tensors.add({"s.layer_norm.bias", "F32", {2}, test::bytes_of(none)});
  const SpanContentSettings settings{.width = 1, .has_maximum = true};
  const SpanContent content =
      tensors.read([&](WeightReader& weights) { return SpanContent(weights, "s.", settings, 1); });
  test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 4, .threads = 1});
  const ProductRunner products(setup.context(), 1);
  const std::vector<float> words = {30, 16.1845f};  // 30 + log(1e-6) is 16.1845
  const std::vector<BoundaryPair> pairs = {{1, 2}};
  // The mean and the maximum are about equal, so their normalised difference is 0, with and without the limit.
  const Matrix y = content.forward({words.data(), 2, 1, 1}, pairs, products);
  EXPECT_NEAR(y.view().row(0)[0], 0, 0.05);
  const std::vector<float> far = {30, 0};
  // With the limit the maximum is 16.1845 and not 0. Normalised, the mean is -1 and the maximum 1.
  const Matrix limited = content.forward({far.data(), 2, 1, 1}, pairs, products);
  EXPECT_NEAR(limited.view().row(0)[0], -1, 1e-5);
  EXPECT_NEAR(limited.view().row(0)[1], 1, 1e-5);
}

}  // namespace
}  // namespace bert
