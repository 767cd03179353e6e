#include "engine/layers/self_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/engine/layers/layer_setup.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

struct Attention {
  size_t hidden, heads;
  test::Random random{6};
  test::Dense q{hidden, hidden, random}, k{hidden, hidden, random}, v{hidden, hidden, random};

  SelfAttention layer() const {
    SelfAttention attention;
    attention.qkv.parts = {q.part(), k.part(), v.part()};
    attention.heads = attention.key_heads = heads;
    attention.head_dim = attention.score_width = hidden / heads;
    return attention;
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
  // Returns the context of one sequence, [length, hidden], in float64. probabilities: gets [heads, length, length].
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

TEST(SelfAttention, MatchesSoftmaxInFloat64ForATextOfSeveralTasks) {
  const Attention attention{.hidden = 8, .heads = 2};
  const test::Ragged batch({1100});
  test::Random random(7);
  const std::vector<float> x = random.numbers(1100 * 8);
  EXPECT_TRUE(test::within(3e-6, attention.run(batch.view(), x), attention.exact(x)));
}

// Heads that share keys give the same outputs as heads with copies of the keys.
TEST(SelfAttention, SharesKeysAndValuesAmongHeads) {
  const size_t hidden = 24, heads = 6, key_heads = 2, dim = 4, tokens = 70;
  test::Random random(9);
  const test::Dense q(hidden, hidden, random), k(key_heads * dim, hidden, random), v(key_heads * dim, hidden, random);
  const auto copied = [&](const test::Dense& shared) {
    test::Dense all = q;
    for (size_t head = 0; head < heads; ++head) {
      const size_t from = head / (heads / key_heads) * dim, to = head * dim;
      std::copy_n(&shared.weight[from * hidden], dim * hidden, &all.weight[to * hidden]);
      std::copy_n(&shared.bias[from], dim, &all.bias[to]);
    }
    return all;
  };
  const test::Dense all_k = copied(k), all_v = copied(v);
  const test::Ragged batch({tokens});
  const std::vector<float> x = random.numbers(tokens * hidden);
  const auto run = [&](const test::Dense& keys, const test::Dense& values, size_t count) {
    SelfAttention layer;
    layer.qkv.parts = {q.part(), keys.part(), values.part()};
    layer.heads = heads;
    layer.key_heads = count;
    layer.head_dim = layer.score_width = dim;
    test::LayerSetup setup(
        {.tokens = tokens, .longest = tokens, .hidden = hidden, .wide = 3 * hidden, .head_dim = dim});
    std::vector<float> y(x.size());
    layer.forward(batch.view(), {x.data(), tokens, hidden, hidden}, {y.data(), tokens, hidden, hidden},
                  setup.context());
    return y;
  };
  EXPECT_TRUE(test::same_bits(run(k, v, key_heads), run(all_k, all_v, heads)));
}

struct Sight {
  size_t window;
  bool is_causal;
};
class SelfAttentionSight : public ::testing::TestWithParam<Sight> {};

// The expected probabilities are those of full attention: those of unseen keys are set to 0, and the others divided by
// their sum. The expected outputs are the values weighted by them. The text is long enough to be divided into several
// tasks.
TEST_P(SelfAttentionSight, LeavesOutWhatIsNotSeen) {
  const Attention attention{.hidden = 12, .heads = 3};
  const auto [window, is_causal] = GetParam();
  const size_t length = 700, dim = 4;
  const test::Ragged batch({length});
  test::Random random(11);
  const std::vector<float> x = random.numbers(length * 12);
  test::LayerSetup setup(attention.shape(batch.view()));
  SelfAttention layer = attention.layer();
  layer.window = window;
  layer.is_causal = is_causal;
  std::vector<float> y(x.size()), got(3 * length * length);
  layer.forward(batch.view(), {x.data(), length, 12, 12}, {y.data(), length, 12, 12}, setup.context());
  layer.probabilities(batch.view(), 0, got.data(), setup.context());
  test::Doubles expected;
  attention.exact(x, &expected);
  const test::Doubles values = attention.v.exact(test::widen(x));
  test::Doubles context(x.size());
  for (size_t head = 0; head < 3; ++head) {
    for (size_t i = 0; i < length; ++i) {
      double* row = &expected[(head * length + i) * length];
      double sum = 0;
      for (size_t j = 0; j < length; ++j) {
        const bool is_seen = (i > j ? i - j : j - i) <= window && !(is_causal && j > i);
        sum += row[j] *= is_seen ? 1 : 0;
      }
      for (size_t j = 0; j < length; ++j) {
        row[j] /= sum;
        for (size_t d = head * dim; d < (head + 1) * dim; ++d) context[i * 12 + d] += row[j] * values[j * 12 + d];
      }
    }
  }
  EXPECT_TRUE(test::within(2e-6, got, expected));
  EXPECT_TRUE(test::within(3e-6, y, context));
}

INSTANTIATE_TEST_SUITE_P(WindowsAndCausal, SelfAttentionSight,
                         ::testing::Values(Sight{40, false}, Sight{40, true}, Sight{0, true}, Sight{kNoWindow, true}));

// Compares with float64, where a score s becomes cap · tanh(s / cap).
TEST(SelfAttention, CapsScores) {
  const size_t length = 70, hidden = 12, dim = 4;
  const Attention attention{.hidden = hidden, .heads = 3};
  const test::Ragged batch({length});
  test::Random random(12);
  const std::vector<float> x = random.numbers(length * hidden, 3);
  const test::Doubles queries = attention.q.exact(test::widen(x)), keys = attention.k.exact(test::widen(x));
  for (const double cap : {0.25, 2.0, 50.0}) {
    test::LayerSetup setup(attention.shape(batch.view()));
    SelfAttention layer = attention.layer();
    layer.soft_cap = static_cast<float>(cap);
    std::vector<float> y(x.size()), got(3 * length * length);
    layer.forward(batch.view(), {x.data(), length, hidden, hidden}, {y.data(), length, hidden, hidden},
                  setup.context());
    layer.probabilities(batch.view(), 0, got.data(), setup.context());
    test::Doubles expected;
    for (size_t first = 0; first < hidden; first += dim) {
      for (size_t i = 0; i < length; ++i) {
        test::Doubles row;
        double sum = 0;
        for (size_t j = 0; j < length; ++j) {
          double score = 0;
          for (size_t d = first; d < first + dim; ++d) score += queries[i * hidden + d] * keys[j * hidden + d] / 2;
          row.push_back(std::exp(cap * std::tanh(score / cap)));
          sum += row.back();
        }
        for (const double weight : row) expected.push_back(weight / sum);
      }
    }
    EXPECT_TRUE(test::within(3e-6, got, expected)) << cap;
  }
}

// Compares with float64. Every token sees its window and the global tokens. A global token sees all tokens, with
// queries, keys and values of its own. The numbers of global tokens are 0, some, more than a block of keys, and all.
TEST(SelfAttention, LetsGlobalTokensSeeAllAndBeSeen) {
  const size_t length = 600, hidden = 12, dim = 4, window = 40;
  const Attention local{.hidden = hidden, .heads = 3};
  test::Random random(13);
  const test::Dense q(hidden, hidden, random), k(hidden, hidden, random), v(hidden, hidden, random);
  const test::Ragged batch({length});
  const std::vector<float> x = random.numbers(length * hidden);
  const Attention global{.hidden = hidden, .heads = 3, .q = q, .k = k, .v = v};
  test::Doubles of_locals, of_globals;
  local.exact(x, &of_locals);
  global.exact(x, &of_globals);
  const test::Doubles local_values = local.v.exact(test::widen(x)), global_values = v.exact(test::widen(x));
  for (const size_t globals : {0, 1, 63, 100, 600}) {
    SelfAttention layer = local.layer();
    layer.window = window;
    layer.global.parts = {q.part(), k.part(), v.part()};
    WorkspaceShape shape = local.shape(batch.view());
    shape.wide = layer.wide_columns();
    test::LayerSetup setup(shape);
    RaggedBatch view = batch.view();
    view.global_counts = {&globals, 1};
    std::vector<float> y(x.size()), got(3 * length * length);
    layer.forward(view, {x.data(), length, hidden, hidden}, {y.data(), length, hidden, hidden}, setup.context());
    layer.probabilities(view, 0, got.data(), setup.context());
    test::Doubles expected, context(x.size());
    for (size_t head = 0; head < 3; ++head) {
      for (size_t i = 0; i < length; ++i) {
        const test::Doubles& all = i < globals ? of_globals : of_locals;
        const test::Doubles& values = i < globals ? global_values : local_values;
        double sum = 0;
        for (const bool adds : {true, false}) {
          for (size_t j = 0; j < length; ++j) {
            const bool is_seen = i < globals || j < globals || (i > j ? i - j : j - i) <= window;
            const double weight = is_seen ? all[(head * length + i) * length + j] : 0;
            if (adds) sum += weight;
            if (adds) continue;
            expected.push_back(weight / sum);
            for (size_t d = head * dim; d < (head + 1) * dim; ++d) {
              context[i * hidden + d] += weight / sum * values[j * hidden + d];
            }
          }
        }
      }
    }
    EXPECT_TRUE(test::within(2e-6, got, expected)) << globals;
    EXPECT_TRUE(test::within(3e-6, y, context)) << globals;
  }
}

// Later tokens cannot change a token's bits, so the beginning of a text has the bits that it has alone.
TEST(SelfAttention, GivesTheBeginningOfATextTheSameBitsAloneIfItIsCausal) {
  const Attention attention{.hidden = 24, .heads = 2};
  const test::Ragged batch({200});
  test::Random random(14);
  const std::vector<float> x = random.numbers(200 * 24);
  const auto run = [&](size_t length) {
    const test::Ragged beginning({length});
    test::LayerSetup setup(attention.shape(beginning.view()));
    SelfAttention layer = attention.layer();
    layer.is_causal = true;
    std::vector<float> y(length * 24);
    layer.forward(beginning.view(), {x.data(), length, 24, 24}, {y.data(), length, 24, 24}, setup.context());
    return y;
  };
  const std::vector<float> whole = run(200);
  for (const size_t length : {1, 2, 63, 64, 65, 130}) {
    EXPECT_TRUE(test::same_bits(run(length), {whole.data(), length * 24})) << length;
  }
}

// Compares with float64. The queries and keys of each head are normalised. Heads are wider than hidden / heads.
TEST(SelfAttention, NormalisesTheQueriesAndKeysOfEachHead) {
  const size_t hidden = 10, heads = 2, dim = 8, length = 20;
  test::Random random(15);
  const test::Dense q(heads * dim, hidden, random), k(heads * dim, hidden, random), v(heads * dim, hidden, random);
  const test::NormWeights query_norm(dim, random), key_norm(dim, random);
  SelfAttention layer;
  layer.qkv.parts = {q.part(), k.part(), v.part()};
  layer.heads = layer.key_heads = heads;
  layer.head_dim = layer.score_width = dim;
  layer.query_norm = query_norm.layer(1e-5);
  layer.key_norm = key_norm.layer(1e-5);
  const test::Ragged batch({length});
  const std::vector<float> x = random.numbers(length * hidden);
  test::LayerSetup setup({.tokens = length,
                          .longest = length,
                          .hidden = hidden,
                          .heads = heads * dim,
                          .wide = 3 * heads * dim,
                          .head_dim = dim});
  const MatrixView y = setup.workspace().context(heads * dim);
  layer.forward(batch.view(), {x.data(), length, hidden, hidden}, y, setup.context());
  // The norm takes a row of heads * dim as `heads` rows of dim.
  const test::Doubles queries = query_norm.exact(q.exact(test::widen(x)), 1e-5);
  const test::Doubles keys = key_norm.exact(k.exact(test::widen(x)), 1e-5), values = v.exact(test::widen(x));
  test::Doubles expected(length * heads * dim);
  for (size_t first = 0; first < heads * dim; first += dim) {
    const test::Doubles p = test::exact_probabilities(&queries[first], &keys[first], length, dim, heads * dim);
    for (size_t i = 0; i < length; ++i) {
      for (size_t j = 0; j < length; ++j) {
        for (size_t c = first; c < first + dim; ++c) {
          expected[i * heads * dim + c] += p[i * length + j] * values[j * heads * dim + c];
        }
      }
    }
  }
  EXPECT_TRUE(test::within(3e-6, test::get(y), expected));
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

// A single token attends only to itself, so its context is its value.
TEST(SelfAttention, GivesALoneTokenItsOwnValue) {
  const Attention attention{.hidden = 12, .heads = 3};
  const test::Ragged batch({1});
  test::Random random(10);
  const std::vector<float> x = random.numbers(12);
  EXPECT_TRUE(test::within(1e-6, attention.run(batch.view(), x), attention.v.exact(test::widen(x))));
}

}  // namespace
}  // namespace bert
