#include "tasks/labels/pair_scorer.h"

#include <gtest/gtest.h>

#include "tests/tasks/labels/label_tensors.h"

namespace bert {
namespace {

constexpr size_t kPairWidth = 6;

TEST(PairScorer, GivesTheFormulasLogitsInAnyBatch) {
  test::LabelTensors tensors;
  tensors.add("s.item", 2 * kPairWidth, kPairWidth);
  tensors.add("s.proj_label", 2 * kPairWidth, kPairWidth);
  tensors.add("s.out_mlp.0", 4 * kPairWidth, 3 * kPairWidth);
  tensors.add("s.out_mlp.3", 2, 4 * kPairWidth);
  const PairScorer scorer =
      tensors.read([](WeightReader& weights) { return PairScorer(weights, "s.", "item", kPairWidth, 2); });
  constexpr size_t kItems = 70, kLabels = 9;  // more pairs than one step computes
  const std::vector<float> items = tensors.random().numbers(kItems * kPairWidth, 2.0f),
                           labels = tensors.random().numbers(kLabels * kPairWidth, 2.0f);
  const auto logits = [&](size_t first, size_t count, size_t threads) {
    test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 4, .threads = threads});
    const ProductRunner products(setup.context(), scorer.widest_input());
    return scorer.logits({items.data() + first * kPairWidth, count, kPairWidth, kPairWidth},
                         {labels.data(), kLabels, kPairWidth, kPairWidth}, products);
  };
  const Matrix all = logits(0, kItems, 2);
  ASSERT_EQ(all.rows(), kItems * kLabels);
  const auto row = [](const std::vector<float>& rows, size_t index) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(index * kPairWidth);
    return test::Doubles(begin, begin + kPairWidth);
  };
  for (const size_t item : {size_t{0}, size_t{37}, kItems - 1}) {
    const Matrix alone = logits(item, 1, 1);
    for (size_t label = 0; label < kLabels; ++label) {
      const test::Doubles a = tensors["s.item"].exact(row(items, item)),
                          b = tensors["s.proj_label"].exact(row(labels, label));
      test::Doubles both(a.begin(), a.begin() + kPairWidth);
      both.insert(both.end(), b.begin(), b.begin() + kPairWidth);
      for (size_t i = kPairWidth; i < 2 * kPairWidth; ++i) both.push_back(a[i] * b[i]);
      const test::Doubles exact = tensors["s.out_mlp.3"].exact(test::relu_of(tensors["s.out_mlp.0"].exact(both)));
      for (size_t output = 0; output < 2; ++output) {
        EXPECT_NEAR(all.view().row(item * kLabels + label)[output], exact[output], 2e-6);
        EXPECT_EQ(all.view().row(item * kLabels + label)[output], alone.view().row(label)[output]);
      }
    }
  }
}

}  // namespace
}  // namespace bert
