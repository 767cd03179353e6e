#include "engine/layers/pooled_outputs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "tests/engine/layers/layer_setup.h"
#include "tests/support/compare.h"
#include "tests/support/isa.h"

namespace bert {
namespace {

constexpr size_t kPooledHidden = 24;
const std::vector<size_t> kPooledLengths = {5, 1, 9, 2};

struct PoolingCase {
  OutputPooling pooling = {};
  size_t vocab = 70;
  size_t columns = 64;
  size_t denses = 1;
};

// A head with weights from a seed, and its inputs.
class PooledCase {
 public:
  explicit PooledCase(const PoolingCase& c)
      : case_(c),
        first_(kPooledHidden, kPooledHidden, random_),
        second_(kPooledHidden, kPooledHidden, random_),
        output_(c.vocab, kPooledHidden, random_),
        norm_(kPooledHidden, random_),
        ragged_(kPooledLengths),
        x_(random_.numbers(17 * kPooledHidden)) {
    if (c.denses > 0) head_.dense.push_back(first_.linear(Activation::kRelu));
    if (c.denses > 1) head_.dense.push_back(second_.linear());
    if (c.denses > 0) head_.norm = norm_.layer(1e-5);
    head_.output = output_.linear();
  }

  std::vector<float>& x() { return x_; }

  std::vector<PooledOutputs> pooled(size_t threads = 2, CpuFeatures features = detect_cpu_features()) {
    test::LayerSetup setup(
        {.tokens = 17, .longest = 9, .hidden = kPooledHidden, .wide = case_.columns, .head_dim = 8, .threads = threads},
        features);
    std::vector<PooledOutputs> result(kPooledLengths.size());
    pool_outputs(head_, {x_.data(), 17, kPooledHidden, kPooledHidden}, ragged_.view(), case_.pooling, case_.columns,
                 setup.context(), result);
    return result;
  }

  // Returns all weights of a sequence in float64, over the whole table.
  test::Doubles exact(size_t sequence) const {
    test::Doubles rows = test::widen(x_);
    if (case_.denses > 0) {
      rows = first_.exact(rows);
      for (double& value : rows) value = std::max(value, 0.0);
    }
    if (case_.denses > 1) rows = second_.exact(rows);
    if (case_.denses > 0) rows = norm_.exact(rows, 1e-5);
    const test::Doubles table = output_.exact(rows);
    test::Doubles weights(case_.vocab, 0.0);
    for (size_t token = ragged_.view().row_starts[sequence]; token < ragged_.view().row_starts[sequence + 1]; ++token) {
      for (size_t entry = 0; entry < case_.vocab; ++entry) {
        double weight = std::max(table[token * case_.vocab + entry], 0.0);
        for (size_t i = 0; i < case_.pooling.logarithms; ++i) weight = std::log1p(weight);
        weights[entry] = case_.pooling.sum ? weights[entry] + weight : std::max(weights[entry], weight);
      }
    }
    return weights;
  }

 private:
  PoolingCase case_;
  test::Random random_{7};
  test::Dense first_, second_, output_;
  test::NormWeights norm_;
  test::Ragged ragged_;
  std::vector<float> x_;
  PredictionHead head_;
};

TEST(PooledOutputs, AreTheMaximumOrSumOverTheTokens) {
  for (const bool sum : {false, true}) {
    for (const size_t logarithms : {1, 2}) {
      for (const PoolingCase& c :
           {PoolingCase{}, PoolingCase{.columns = 24}, PoolingCase{.vocab = 1},
            PoolingCase{.vocab = 1300, .columns = 600}, PoolingCase{.denses = 0}, PoolingCase{.denses = 2}}) {
        PoolingCase with = c;
        with.pooling = {sum, logarithms};
        PooledCase pooled(with);
        const std::vector<PooledOutputs> all = pooled.pooled();
        for (size_t i = 0; i < all.size(); ++i) {
          std::vector<float> dense(c.vocab, 0.0f);
          ASSERT_EQ(all[i].indices.size(), all[i].values.size());
          for (size_t k = 0; k < all[i].indices.size(); ++k) {
            EXPECT_TRUE(k == 0 || all[i].indices[k - 1] < all[i].indices[k]);
            EXPECT_GT(all[i].values[k], 0.0f);
            dense.at(static_cast<size_t>(all[i].indices[k])) = all[i].values[k];
          }
          EXPECT_TRUE(test::within(1e-5, dense, pooled.exact(i)))
              << "sum " << sum << ", logarithms " << logarithms << ", vocab " << c.vocab << ", sequence " << i;
        }
      }
    }
  }
}

TEST(PooledOutputs, AreTheSameBitsOnEveryIsaWithAnyThreadsAndBlocks) {
  for (const bool sum : {false, true}) {
    PoolingCase c{.pooling = {sum, 2}, .vocab = 700, .columns = 576};
    const std::vector<PooledOutputs> expected = PooledCase(c).pooled(1, CpuFeatures{});
    for (const char* name : test::kKernelIsas) {
      if (!test::cpu_has(name)) {
        std::printf("not run: %s\n", name);
        continue;
      }
      const CpuFeatures features = allowed_cpu_features(name);
      for (const size_t threads : {1, 3}) {
        for (const size_t columns : {576, 64, 24}) {
          c.columns = columns;
          const std::vector<PooledOutputs> got = PooledCase(c).pooled(threads, features);
          for (size_t i = 0; i < got.size(); ++i) {
            EXPECT_EQ(got[i].indices, expected[i].indices) << name;
            EXPECT_TRUE(test::same_bits(got[i].values, expected[i].values)) << name << ", columns " << columns;
          }
        }
      }
    }
  }
}

TEST(PooledOutputs, HaveANaNWhereAnOutputIsNotFinite) {
  for (const bool sum : {false, true}) {
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      PooledCase pooled({.pooling = {sum, 1}, .denses = 0});
      pooled.x()[2 * kPooledHidden] = bad;  // the third token of the first sequence
      const std::vector<PooledOutputs> all = pooled.pooled();
      const auto has_nan = [](const PooledOutputs& one) {
        for (const float value : one.values) {
          if (std::isnan(value)) return true;
        }
        return false;
      };
      EXPECT_TRUE(has_nan(all[0])) << sum << " " << bad;
      EXPECT_FALSE(has_nan(all[1]) || has_nan(all[2]));
    }
  }
}

}  // namespace
}  // namespace bert
