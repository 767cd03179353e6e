#include "engine/layers/self_attention.h"

#include <gtest/gtest.h>

#include "tests/engine/layers/layer_setup.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

struct Attention {
  size_t hidden, heads;
  test::Random random{6};
  test::Dense q{hidden, hidden, random}, k{hidden, hidden, random}, v{hidden, hidden, random};

  SelfAttention layer() const {
    return {.qkv = {{q.part(), k.part(), v.part()}}, .heads = heads, .head_dim = hidden / heads};
  }

  WorkspaceShape shape(const RaggedBatch& batch, size_t threads = 2) const {
    return {.tokens = batch.tokens(),
            .longest = batch.tokens(),
            .hidden = hidden,
            .wide = 3 * hidden,
            .head_dim = hidden / heads,
            .threads = threads};
  }
  std::vector<float> run(const RaggedBatch& batch, const std::vector<float>& x, size_t threads = 2) const {
    test::LayerSetup setup(shape(batch, threads));
    std::vector<float> y(x.size());
    layer().forward(batch, {x.data(), batch.tokens(), hidden, hidden}, {y.data(), batch.tokens(), hidden, hidden},
                    setup.context());
    return y;
  }
  // One sequence in float64: the context [length, hidden] and the probabilities [heads, length, length].
  test::Doubles exact(const std::vector<float>& x, test::Doubles* probabilities = nullptr) const {
    const size_t length = x.size() / hidden, dim = hidden / heads;
    const test::Doubles queries = q.exact(test::widen(x)), keys = k.exact(test::widen(x)),
                        values = v.exact(test::widen(x));
    test::Doubles context(x.size());
    for (size_t head = 0; head < heads; ++head) {
      const test::Doubles p =
          test::exact_probabilities(queries.data() + head * dim, keys.data() + head * dim, length, dim, hidden);
      if (probabilities != nullptr) probabilities->insert(probabilities->end(), p.begin(), p.end());
      for (size_t i = 0; i < length; ++i) {
        for (size_t j = 0; j < length; ++j) {
          for (size_t d = 0; d < dim; ++d) {
            context[i * hidden + head * dim + d] += p[i * length + j] * values[j * hidden + head * dim + d];
          }
        }
      }
    }
    return context;
  }
};

TEST(SelfAttention, MatchesSoftmaxInFloat64) {
  for (const auto& [hidden, heads] : {std::pair<size_t, size_t>{36, 3}, {35, 7}, {64, 1}, {7, 7}}) {
    const Attention attention{.hidden = hidden, .heads = heads};
    const test::Ragged batch({70});
    test::Random random(7);
    const std::vector<float> x = random.numbers(70 * hidden);
    EXPECT_TRUE(test::within(3e-6, attention.run(batch.view(), x), attention.exact(x))) << hidden << ", " << heads;
  }
}

TEST(SelfAttention, GivesASequenceTheSameBitsAloneAndInARaggedBatch) {
  const Attention attention{.hidden = 24, .heads = 2};
  const std::vector<size_t> lengths = {3, 1, 65, 17, 130, 2};
  const test::Ragged batch(lengths);
  test::Random random(8);
  const std::vector<float> x = random.numbers(batch.view().tokens() * 24);
  const std::vector<float> together = attention.run(batch.view(), x);
  EXPECT_TRUE(test::same_bits(attention.run(batch.view(), x, 1), together)) << "one thread";
  for (size_t i = 0; i < lengths.size(); ++i) {
    const size_t begin = batch.view().row_starts[i] * 24, size = lengths[i] * 24;
    const test::Ragged one({lengths[i]});
    const std::vector<float> alone = attention.run(one.view(), {&x[begin], &x[begin] + size});
    EXPECT_TRUE(test::same_bits(alone, {&together[begin], size})) << "sequence " << i;
  }
}

TEST(SelfAttention, ShowsTheProbabilitiesOfWhatItHasJustComputed) {
  const Attention attention{.hidden = 36, .heads = 3};
  const test::Ragged batch({4, 70, 1});
  test::Random random(9);
  const std::vector<float> x = random.numbers(batch.view().tokens() * 36);
  test::LayerSetup setup(attention.shape(batch.view()));
  std::vector<float> y(x.size());
  const SelfAttention layer = attention.layer();
  layer.forward(batch.view(), {x.data(), 75, 36, 36}, {y.data(), 75, 36, 36}, setup.context());
  for (size_t sequence = 0; sequence < 3; ++sequence) {
    const size_t length = batch.view().length(sequence);
    std::vector<float> got(3 * length * length);
    layer.probabilities(batch.view(), sequence, got.data(), setup.context());
    const float* begin = &x[batch.view().row_starts[sequence] * 36];
    test::Doubles expected;
    attention.exact({begin, begin + length * 36}, &expected);
    EXPECT_TRUE(test::within(2e-6, got, expected)) << "sequence " << sequence;
  }
}

// One token attends to itself only, so its context is its value, whatever query and key are.
TEST(SelfAttention, GivesALoneTokenItsOwnValue) {
  const Attention attention{.hidden = 12, .heads = 3};
  const test::Ragged batch({1});
  test::Random random(10);
  const std::vector<float> x = random.numbers(12);
  EXPECT_TRUE(test::within(1e-6, attention.run(batch.view(), x), attention.v.exact(test::widen(x))));
}

}  // namespace
}  // namespace bert
