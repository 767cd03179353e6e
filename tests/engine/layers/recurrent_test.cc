#include "engine/layers/recurrent.h"

#include <gtest/gtest.h>
#include <cmath>

#include "tests/engine/layers/layer_setup.h"
#include "tests/support/compare.h"
#include "tests/support/isa.h"

namespace bert {
namespace {

constexpr size_t kLstmIn = 10, kLstmSize = 5;

struct DirectionWeights {
  test::Dense input, recurrent;
  DirectionWeights(size_t in, test::Random& random)
      : input(4 * kLstmSize, in, random), recurrent(4 * kLstmSize, kLstmSize, random) {}
  LstmDirection view() const { return {input.part(), recurrent.part()}; }

  // Returns the states of one sequence, [rows, size], in float64 by the paper's formulas.
  test::Doubles exact(const test::Doubles& x, bool is_backward) const {
    const auto sigma = [](double value) { return 1 / (1 + std::exp(-value)); };
    const size_t rows = x.size() / input.in;
    test::Doubles y(rows * kLstmSize), hidden(kLstmSize), cell(kLstmSize);
    for (size_t step = 0; step < rows; ++step) {
      const size_t row = is_backward ? rows - 1 - step : step;
      const auto begin = x.begin() + static_cast<std::ptrdiff_t>(row * input.in);
      const test::Doubles a = input.exact({begin, begin + static_cast<std::ptrdiff_t>(input.in)});
      const test::Doubles b = recurrent.exact(hidden);
      const auto gate = [&](size_t which, size_t i) { return a[which * kLstmSize + i] + b[which * kLstmSize + i]; };
      for (size_t i = 0; i < kLstmSize; ++i) {
        cell[i] = sigma(gate(1, i)) * cell[i] + sigma(gate(0, i)) * std::tanh(gate(2, i));
        hidden[i] = sigma(gate(3, i)) * std::tanh(cell[i]);
        y[row * kLstmSize + i] = hidden[i];
      }
    }
    return y;
  }
};

struct LayerWeights {
  DirectionWeights forward, backward;
  LayerWeights(size_t in, test::Random& random) : forward(in, random), backward(in, random) {}

  test::Doubles exact(const test::Doubles& x) const {
    const test::Doubles one = forward.exact(x, false), other = backward.exact(x, true);
    test::Doubles y;
    for (size_t row = 0; row < one.size() / kLstmSize; ++row) {
      for (const test::Doubles* part : {&one, &other}) {
        const auto begin = part->begin() + static_cast<std::ptrdiff_t>(row * kLstmSize);
        y.insert(y.end(), begin, begin + kLstmSize);
      }
    }
    return y;
  }
};

struct TwoLayers {
  test::Random random{5};
  LayerWeights first{kLstmIn, random}, second{2 * kLstmSize, random};
  BidirectionalLstm lstm{
      {{first.forward.view(), first.backward.view()}, {second.forward.view(), second.backward.view()}}};

  std::vector<float> run(const std::vector<float>& x, const std::vector<size_t>& row_starts, size_t threads,
                         CpuFeatures features) const {
    test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 4, .threads = threads}, features);
    const ProductRunner products(setup.context(), lstm.widest_input());
    Matrix y(row_starts.back(), 2 * kLstmSize);
    lstm.forward({x.data(), row_starts.back(), kLstmIn, kLstmIn}, row_starts, y.view(), products);
    return test::get(y.view());
  }
};

TEST(BidirectionalLstm, ComputesTheFormulasInBothDirections) {
  TwoLayers layers;
  const std::vector<float> x = layers.random.numbers(7 * kLstmIn);
  const test::Doubles exact = layers.second.exact(layers.first.exact(test::widen(x)));
  EXPECT_TRUE(test::within(1e-6, layers.run(x, {0, 7}, 1, detect_cpu_features()), exact));
}

TEST(BidirectionalLstm, GivesASequenceTheSameBitsAloneAndInABatchOnAnyThreadsAndCpu) {
  TwoLayers layers;
  const std::vector<size_t> row_starts = {0, 3, 3, 10, 11, 16};  // the second sequence has no rows
  const std::vector<float> x = layers.random.numbers(row_starts.back() * kLstmIn);
  std::vector<float> alone;
  for (size_t i = 0; i + 1 < row_starts.size(); ++i) {
    const auto row = [&](size_t at) { return x.begin() + static_cast<std::ptrdiff_t>(at * kLstmIn); };
    const std::vector<float> y = layers.run({row(row_starts[i]), row(row_starts[i + 1])},
                                            {0, row_starts[i + 1] - row_starts[i]}, 1, CpuFeatures{});
    alone.insert(alone.end(), y.begin(), y.end());
  }
  for (const char* isa : test::kKernelIsas) {
    if (!test::cpu_has(isa)) continue;
    for (const size_t threads : {1, 3}) {
      EXPECT_TRUE(test::same_bits(layers.run(x, row_starts, threads, allowed_cpu_features(isa)), alone)) << isa;
    }
  }
}

constexpr size_t kGruIn = 10, kGruSize = 7, kGruRows = 5;

struct GruCase {
  test::Random random{5};
  test::Dense input{3 * kGruSize, kGruIn, random}, recurrent{3 * kGruSize, kGruSize, random};
  std::vector<float> x = random.numbers(kGruRows * kGruIn, 2.0f), hidden = random.numbers(kGruRows * kGruSize, 2.0f);

  std::vector<float> run(size_t first, size_t rows, size_t input_rows, size_t threads, CpuFeatures features) const {
    test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 4, .threads = threads}, features);
    const Gru gru{input.part(), recurrent.part()};
    const ProductRunner products(setup.context(), gru.widest_input());
    const Matrix y = gru.step({&x[(input_rows == 1 ? 0 : first) * kGruIn], input_rows, kGruIn, kGruIn},
                              {&hidden[first * kGruSize], rows, kGruSize, kGruSize}, products);
    return test::get(y.view());
  }

  // Returns the states in float64 by the formulas of PyTorch's documentation.
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
