#include "engine/layers/row_attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/layers/layer_setup.h"
#include "tests/support/compare.h"
#include "tests/support/isa.h"

namespace bert {
namespace {

constexpr size_t kRowWidth = 20, kRowHeads = 4, kRowDim = 5;

struct RowCase {
  test::Random random{5};
  test::Dense qkv{3 * kRowWidth, kRowWidth, random}, output{kRowWidth, kRowWidth, random};
  size_t rows;
  std::vector<float> x;

  explicit RowCase(size_t rows_) : rows(rows_), x(random.numbers(rows * kRowWidth, 0.5f)) {}

  static float bias_of(size_t head, size_t query, size_t key) {
    return std::sin(static_cast<float>(head + 3 * query + 7 * key));
  }

  std::vector<float> run(size_t window, bool has_bias, size_t threads, CpuFeatures features) const {
    test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 4, .threads = threads}, features);
    const ProductRunner products(setup.context(), kRowWidth);
    const RowAttention attention{.qkv = qkv.part(), .output = output.part(), .heads = kRowHeads, .window = window};
    RowAttentionBias bias;
    if (has_bias) {
      bias = [&](size_t head, size_t first, size_t queries, float* to) {
        for (size_t i = 0; i < queries * rows; ++i) to[i] = bias_of(head, first + i / rows, i % rows);
      };
    }
    const Matrix y = attention.forward({x.data(), rows, kRowWidth, kRowWidth}, products, bias);
    return test::get(y.view());
  }

  test::Doubles exact(size_t window, bool has_bias) const {
    const test::Doubles all = qkv.exact(test::widen(x));
    test::Doubles context(rows * kRowWidth);
    const auto at = [&](size_t row, size_t part, size_t head, size_t i) {
      return all[row * 3 * kRowWidth + part * kRowWidth + head * kRowDim + i];
    };
    for (size_t head = 0; head < kRowHeads; ++head) {
      for (size_t query = 0; query < rows; ++query) {
        double total = 0;
        test::Doubles sums(kRowDim);
        for (size_t key = 0; key < rows; ++key) {
          if ((query > key ? query - key : key - query) > window) continue;
          double score = 0;
          for (size_t i = 0; i < kRowDim; ++i) score += at(query, 0, head, i) * at(key, 1, head, i);
          score = score / std::sqrt(double{kRowDim}) + (has_bias ? static_cast<double>(bias_of(head, query, key)) : 0);
          total += std::exp(score);
          for (size_t i = 0; i < kRowDim; ++i) sums[i] += std::exp(score) * at(key, 2, head, i);
        }
        for (size_t i = 0; i < kRowDim; ++i) context[query * kRowWidth + head * kRowDim + i] = sums[i] / total;
      }
    }
    return output.exact(context);
  }
};

TEST(RowAttention, ComputesTheFormulasWithWindowsAndBiases) {
  for (const size_t rows : {1, 7, 230}) {
    const RowCase attention(rows);
    for (const size_t window : {kNoWindow, size_t{3}}) {
      for (const bool has_bias : {false, true}) {
        EXPECT_TRUE(test::within(2e-6, attention.run(window, has_bias, 2, detect_cpu_features()),
                                 attention.exact(window, has_bias)))
            << rows << " " << window;
      }
    }
  }
  EXPECT_TRUE(RowCase(0).run(kNoWindow, false, 1, detect_cpu_features()).empty());
}

TEST(RowAttention, GivesTheSameBitsOnAnyThreadsAndCpu) {
  const RowCase attention(230);
  const std::vector<float> plain = attention.run(50, true, 1, CpuFeatures{});
  for (const char* isa : test::kKernelIsas) {
    if (!test::cpu_has(isa)) continue;
    EXPECT_TRUE(test::same_bits(attention.run(50, true, 3, allowed_cpu_features(isa)), plain)) << isa;
  }
}

}  // namespace
}  // namespace bert
