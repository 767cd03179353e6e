#include "engine/layers/encoder_layer.h"

#include <gtest/gtest.h>

#include "tests/engine/layers/layer_setup.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

constexpr size_t kHidden = 24, kWide = 50, kHeads = 3;

enum class Norms { kAfterBlocks, kBeforeBlocks, kBeforeBlocksAndOfTheirOutputs };

struct Layer {
  Norms norms;
  bool is_pre_norm() const { return norms != Norms::kAfterBlocks; }
  bool has_output_norms() const { return norms == Norms::kBeforeBlocksAndOfTheirOutputs; }
  test::Random random{12};
  test::Dense q{kHidden, kHidden, random}, k{kHidden, kHidden, random}, v{kHidden, kHidden, random};
  test::Dense output{kHidden, kHidden, random}, up{kWide, kHidden, random}, down{kHidden, kWide, random};
  test::NormWeights attention_norm{kHidden, random}, output_norm{kHidden, random};
  test::NormWeights of_attention{kHidden, random}, of_output{kHidden, random};

  LayerSpec layer() const {
    LayerSpec layer;
    layer.attention.qkv.parts = {q.part(), k.part(), v.part()};
    layer.attention.heads = layer.attention.key_heads = kHeads;
    layer.attention.head_dim = kHidden / kHeads;
    layer.attention.score_width = kHidden / kHeads;
    layer.attention_output = output.linear();
    FeedForwardBlock& block = layer.feed_forwards.emplace_back();
    block.network.up = up.linear(Activation::kRelu);
    block.network.down = down.linear();
    (is_pre_norm() ? layer.norm_before_attention : layer.norm_after_attention) = attention_norm.layer(1e-5);
    (is_pre_norm() ? block.norm_before : block.norm_after) = output_norm.layer(1e-5);
    if (has_output_norms()) {
      layer.norm_of_attention = of_attention.layer(1e-5);
      block.norm_of_output = of_output.layer(1e-5);
    }
    return layer;
  }

  // Returns the layer's output for one sequence in float64, by the papers' formulas.
  test::Doubles exact(const test::Doubles& x) const {
    const size_t length = x.size() / kHidden, dim = kHidden / kHeads;
    const test::Doubles input = is_pre_norm() ? attention_norm.exact(x, 1e-5) : x;
    const test::Doubles queries = q.exact(input), keys = k.exact(input), values = v.exact(input);
    test::Doubles context(x.size());
    for (size_t first = 0; first < kHidden; first += dim) {
      const test::Doubles p = test::exact_probabilities(&queries[first], &keys[first], length, dim, kHidden);
      for (size_t i = 0; i < length; ++i) {
        for (size_t j = 0; j < length; ++j) {
          for (size_t c = first; c < first + dim; ++c)
            context[i * kHidden + c] += p[i * length + j] * values[j * kHidden + c];
        }
      }
    }
    test::Doubles attended = output.exact(context);
    if (has_output_norms()) attended = of_attention.exact(attended, 1e-5);
    for (size_t i = 0; i < x.size(); ++i) attended[i] += x[i];
    if (!is_pre_norm()) attended = attention_norm.exact(attended, 1e-5);
    test::Doubles wide = up.exact(is_pre_norm() ? output_norm.exact(attended, 1e-5) : attended);
    for (double& value : wide) value = std::max(value, 0.0);
    test::Doubles y = down.exact(wide);
    if (has_output_norms()) y = of_output.exact(y, 1e-5);
    for (size_t i = 0; i < x.size(); ++i) y[i] += attended[i];
    return is_pre_norm() ? y : output_norm.exact(y, 1e-5);
  }
};

class EncoderLayer : public ::testing::TestWithParam<Norms> {};

TEST_P(EncoderLayer, MatchesThePaperInFloat64AndTheSequenceAlone) {
  const Layer parts{.norms = GetParam()};
  const test::Ragged batch({5, 66, 1});
  test::Random random(13);
  const std::vector<float> x = random.numbers(72 * kHidden);
  const auto run = [&](const RaggedBatch& view, const std::vector<float>& values, size_t threads) {
    test::LayerSetup setup({.tokens = view.tokens(),
                            .longest = view.tokens(),
                            .hidden = kHidden,
                            .wide = std::max(kWide, 3 * kHidden),
                            .head_dim = kHidden / kHeads,
                            .threads = threads});
    const MatrixView hidden = setup.workspace().hidden();
    test::put(values, hidden);
    const LayerSpec layer = parts.layer();
    attention_block(layer, view, hidden, setup.workspace().attended(), setup.context());
    feed_forward_blocks(layer, setup.workspace().attended(), hidden, setup.context());
    return test::get(hidden);
  };
  const std::vector<float> got = run(batch.view(), x, 2);
  EXPECT_TRUE(test::same_bits(run(batch.view(), x, 1), got)) << "one thread";
  for (size_t i = 0; i < 3; ++i) {
    const size_t begin = batch.view().row_starts[i] * kHidden, length = batch.view().length(i);
    const std::vector<float> own(&x[begin], &x[begin] + length * kHidden);
    const std::span<const float> among(&got[begin], length * kHidden);
    EXPECT_TRUE(test::within(1e-5, among, parts.exact(test::widen(own)))) << "sequence " << i;
    EXPECT_TRUE(test::same_bits(run(test::Ragged({length}).view(), own, 1), among)) << "sequence " << i << " alone";
  }
}

INSTANTIATE_TEST_SUITE_P(Norms, EncoderLayer,
                         ::testing::Values(Norms::kAfterBlocks, Norms::kBeforeBlocks,
                                           Norms::kBeforeBlocksAndOfTheirOutputs));

}  // namespace
}  // namespace bert
