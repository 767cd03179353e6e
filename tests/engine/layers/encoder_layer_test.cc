#include "engine/layers/encoder_layer.h"

#include <gtest/gtest.h>

#include "tests/engine/layers/layer_setup.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

constexpr size_t kHidden = 24, kWide = 50, kHeads = 3;

struct Layer {
  test::Random random{12};
  test::Dense q{kHidden, kHidden, random}, k{kHidden, kHidden, random}, v{kHidden, kHidden, random};
  test::Dense output{kHidden, kHidden, random}, up{kWide, kHidden, random}, down{kHidden, kWide, random};
  test::NormWeights attention_norm{kHidden, random}, output_norm{kHidden, random};

  LayerSpec layer() const {
    return {.attention = {.qkv = {{q.part(), k.part(), v.part()}}, .heads = kHeads, .head_dim = kHidden / kHeads},
            .attention_output = output.linear(),
            .attention_norm = attention_norm.layer(1e-5),
            .feed_forward = {up.linear(Activation::kRelu), down.linear()},
            .output_norm = output_norm.layer(1e-5)};
  }

  // The layer as the paper writes it, for one sequence, in float64.
  test::Doubles exact(const test::Doubles& x) const {
    const size_t length = x.size() / kHidden, dim = kHidden / kHeads;
    const test::Doubles queries = q.exact(x), keys = k.exact(x), values = v.exact(x);
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
    for (size_t i = 0; i < x.size(); ++i) attended[i] += x[i];
    attended = attention_norm.exact(attended, 1e-5);
    test::Doubles wide = up.exact(attended);
    for (double& value : wide) value = std::max(value, 0.0);
    test::Doubles y = down.exact(wide);
    for (size_t i = 0; i < x.size(); ++i) y[i] += attended[i];
    return output_norm.exact(y, 1e-5);
  }
};

TEST(EncoderLayer, MatchesThePaperInFloat64AndTheSequenceAlone) {
  const Layer parts;
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
    attention_block(layer, view, hidden, setup.context());
    feed_forward_block(layer, hidden, setup.context());
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

}  // namespace
}  // namespace bert
