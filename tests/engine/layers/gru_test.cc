#include "engine/layers/gru.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/layers/layer_setup.h"
#include "tests/support/compare.h"
#include "tests/support/isa.h"

namespace bert {
namespace {

constexpr size_t kGruIn = 10, kGruSize = 7, kGruRows = 5;

struct GruCase {
  test::Random random{5};
  test::Dense input{3 * kGruSize, kGruIn, random}, recurrent{3 * kGruSize, kGruSize, random};
  std::vector<float> x = random.numbers(kGruRows * kGruIn, 2.0f), hidden = random.numbers(kGruRows * kGruSize, 2.0f);

  std::vector<float> run(size_t first, size_t rows, size_t input_rows, size_t threads, CpuFeatures features) const {
    test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 4, .threads = threads}, features);
    const Gru gru{input.part(), recurrent.part()};
    const OwnProducts products(setup.context(), gru.widest_input());
    const Matrix y = gru.step({&x[(input_rows == 1 ? 0 : first) * kGruIn], input_rows, kGruIn, kGruIn},
                              {&hidden[first * kGruSize], rows, kGruSize, kGruSize}, products);
    return test::get(y.view());
  }

  // The formulas of PyTorch's documentation, in float64.
  test::Doubles exact(bool one_input) const {
    const auto sigma = [](double value) { return 1 / (1 + std::exp(-value)); };
    const test::Doubles a = input.exact(test::widen(x)), b = recurrent.exact(test::widen(hidden));
    test::Doubles y;
    for (size_t row = 0; row < kGruRows; ++row) {
      for (size_t i = 0; i < kGruSize; ++i) {
        const auto part = [&](const test::Doubles& gates, size_t which, size_t at) {
          return gates[(at * 3 + which) * kGruSize + i];
        };
        const size_t from = one_input ? 0 : row;
        const double r = sigma(part(a, 0, from) + part(b, 0, row)), z = sigma(part(a, 1, from) + part(b, 1, row));
        const double n = std::tanh(part(a, 2, from) + r * part(b, 2, row));
        y.push_back((1 - z) * n + z * static_cast<double>(hidden[row * kGruSize + i]));
      }
    }
    return y;
  }
};

TEST(Gru, ComputesTheFormulasOfAnInputForEachSequenceOrForAll) {
  const GruCase gru;
  EXPECT_TRUE(test::within(1e-6, gru.run(0, kGruRows, kGruRows, 1, detect_cpu_features()), gru.exact(false)));
  EXPECT_TRUE(test::within(1e-6, gru.run(0, kGruRows, 1, 1, detect_cpu_features()), gru.exact(true)));
}

TEST(Gru, GivesASequenceTheSameBitsAloneAndInABatchOnAnyThreadsAndCpu) {
  const GruCase gru;
  std::vector<float> alone;
  for (size_t row = 0; row < kGruRows; ++row) {
    const std::vector<float> y = gru.run(row, 1, 1, 1, CpuFeatures{});
    alone.insert(alone.end(), y.begin(), y.end());
  }
  for (const char* isa : test::kKernelIsas) {
    if (!test::cpu_has(isa)) continue;
    for (const size_t threads : {1, 3}) {
      EXPECT_TRUE(test::same_bits(gru.run(0, kGruRows, 1, threads, allowed_cpu_features(isa)), alone)) << isa;
    }
  }
}

}  // namespace
}  // namespace bert
