#include "engine/layers/feed_forward.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/engine/layers/layer_setup.h"
#include "tests/support/compare.h"
#include "tests/support/isa.h"

namespace bert {
namespace {

// The expected values are down(relu(first) * second) + residual in float64, then the same with exchanged halves.
TEST(FeedForward, MultipliesTheActivatedHalfByTheOther) {
  const size_t hidden = 6, intermediate = 21, rows = 11;
  test::Random random(3);
  const test::Dense first(intermediate, hidden, random), second(intermediate, hidden, random),
      down(hidden, intermediate, random);
  const std::vector<float> x = random.numbers(rows * hidden), residual = random.numbers(rows * hidden);
  for (const auto activated : {Gate::Activated::kFirst, Gate::Activated::kSecond}) {
    FeedForward layer;
    layer.up.parts = {first.part(), second.part()};
    layer.gate = Gate{activated, Activation::kRelu};
    layer.down = down.linear();
    test::LayerSetup setup(
        {.tokens = rows, .longest = rows, .hidden = hidden, .wide = 2 * intermediate, .head_dim = 1, .threads = 2});
    std::vector<float> y(x.size());
    layer.forward({x.data(), rows, hidden, hidden}, {residual.data(), rows, hidden, hidden},
                  {y.data(), rows, hidden, hidden}, setup.context());

    const bool is_first = activated == Gate::Activated::kFirst;
    test::Doubles wide = (is_first ? first : second).exact(test::widen(x));
    const test::Doubles gate = (is_first ? second : first).exact(test::widen(x));
    for (size_t i = 0; i < wide.size(); ++i) wide[i] = std::max(wide[i], 0.0) * gate[i];
    test::Doubles expected = down.exact(wide);
    for (size_t i = 0; i < expected.size(); ++i) expected[i] += static_cast<double>(residual[i]);
    EXPECT_TRUE(test::within(3e-6, y, expected));
  }
}

// A layer of experts with weights from a seed. Also computes the layer in float64.
struct ExpertLayer {
  // limit: the largest value of a gate; 0: no limit.
  ExpertLayer(size_t hidden_, size_t inner, size_t count, size_t top_k, uint64_t seed, float limit = 0)
      : hidden(hidden_) {
    test::Random random(seed);
    router = random.numbers(count * hidden);
    bias = random.numbers(hidden, 0.1f);
    for (size_t i = 0; i < count; ++i) {
      up.emplace_back(limit > 0 ? 2 * inner : inner, hidden, random);
      down.emplace_back(hidden, inner, random);
    }
    experts.router.parts = {{{router.data(), WeightFormat::kF32, count, hidden}, nullptr}};
    for (size_t i = 0; i < count; ++i) {
      experts.up.push_back(up[i].linear(limit > 0 ? Activation::kIdentity : Activation::kGelu));
      experts.down.push_back(down[i].linear());
    }
    experts.bias = bias.data();
    experts.top_k = top_k;
    if (limit > 0) experts.gate = Gate{Gate::Activated::kFirst, Activation::kQuickGelu, limit};
    experts.softmax_of_chosen = limit > 0;
  }

  WorkspaceShape shape(size_t rows, size_t threads) const {
    return {.tokens = rows,
            .longest = std::max(rows, up.size()),
            .hidden = hidden,
            .wide = experts.wide_columns(),
            .head_dim = 1,
            .threads = threads};
  }

  std::vector<float> run(const std::vector<float>& x, const std::vector<float>& residual, size_t threads,
                         CpuFeatures features = detect_cpu_features()) const {
    const size_t rows = x.size() / hidden;
    test::LayerSetup setup(shape(rows, threads), features);
    std::vector<float> y(x.size());
    const auto view = [&](const std::vector<float>& of) { return ConstMatrixView{of.data(), rows, hidden, hidden}; };
    experts.forward(view(x), residual.empty() ? ConstMatrixView{} : view(residual), {y.data(), rows, hidden, hidden},
                    setup.context());
    return y;
  }

  test::Doubles exact(const std::vector<float>& x, const std::vector<float>& residual) const {
    test::Doubles y;
    const size_t count = up.size();
    for (size_t row = 0; row < x.size() / hidden; ++row) {
      const test::Doubles one(x.begin() + std::ptrdiff_t(row * hidden), x.begin() + std::ptrdiff_t((row + 1) * hidden));
      test::Doubles p(count);
      for (size_t e = 0; e < count; ++e) {
        for (size_t i = 0; i < hidden; ++i) p[e] += static_cast<double>(router[e * hidden + i]) * one[i];
        p[e] = std::exp(p[e]);
      }
      double sum = std::accumulate(p.begin(), p.end(), 0.0);
      std::vector<size_t> order(count);
      std::iota(order.begin(), order.end(), size_t{0});
      std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] > p[b]; });
      if (experts.softmax_of_chosen) {
        sum = 0;
        for (size_t k = 0; k < experts.top_k; ++k) sum += p[order[k]];
      }
      test::Doubles total(bias.begin(), bias.end());
      for (size_t k = 0; k < experts.top_k; ++k) {
        test::Doubles wide = up[order[k]].exact(one);
        activate(wide);
        const test::Doubles output = down[order[k]].exact(wide);
        for (size_t i = 0; i < hidden; ++i) total[i] += p[order[k]] / sum * output[i];
      }
      for (size_t i = 0; i < hidden; ++i) {
        y.push_back(total[i] + (residual.empty() ? 0 : static_cast<double>(residual[row * hidden + i])));
      }
    }
    return y;
  }

  void activate(test::Doubles& wide) const {
    if (!experts.gate) {
      for (double& value : wide) value = 0.5 * value * (1 + std::erf(value / std::sqrt(2.0)));
      return;
    }
    const size_t half = wide.size() / 2;
    const double limit = static_cast<double>(*experts.gate->limit);
    for (size_t i = 0; i < half; ++i) {
      const double gate = std::min(wide[i], limit), other = std::clamp(wide[half + i], -limit, limit);
      wide[i] = gate / (1 + std::exp(-1.702 * gate)) * (other + 1);
    }
    wide.resize(half);
  }

  size_t hidden;
  std::vector<float> router, bias;
  std::vector<test::Dense> up, down;
  Experts experts;
};

TEST(Experts, AreTheFormulaInFloat64) {
  uint64_t seed = 1;
  for (const auto& [hidden, inner, count, top_k] : {std::tuple<size_t, size_t, size_t, size_t>{6, 9, 4, 2},
                                                    {17, 33, 8, 2},
                                                    {24, 5, 3, 3},
                                                    {1, 1, 1, 1},
                                                    {40, 64, 37, 5}}) {
    for (const size_t rows : {1, 2, 19, 70}) {
      for (const float limit : {0.0f, 0.25f}) {
        const ExpertLayer layer(hidden, inner, count, top_k, ++seed, limit);
        test::Random random(seed);
        const std::vector<float> x = random.numbers(rows * hidden), residual = random.numbers(rows * hidden);
        EXPECT_TRUE(test::within(1e-5, layer.run(x, residual, 2), layer.exact(x, residual)));
        EXPECT_TRUE(test::within(1e-5, layer.run(x, {}, 1), layer.exact(x, {})));
      }
    }
  }
}

TEST(Experts, GiveARowTheSameBitsAloneInAnyOrderAndOnEveryInstructionSet) {
  const size_t hidden = 21, rows = 50;
  for (const float limit : {0.0f, 0.5f}) {
    const ExpertLayer layer(hidden, 35, 8, 2, 77, limit);
    test::Random random(5);
    const std::vector<float> x = random.numbers(rows * hidden), residual = random.numbers(rows * hidden);
    const std::vector<float> all = layer.run(x, residual, 1);
    std::vector<float> reversed, reversed_residual;
    for (size_t row = rows; row-- > 0;) {
      const auto part = [&](const std::vector<float>& of) {
        return std::vector<float>(of.begin() + std::ptrdiff_t(row * hidden),
                                  of.begin() + std::ptrdiff_t((row + 1) * hidden));
      };
      EXPECT_TRUE(test::same_bits(layer.run(part(x), part(residual), 1), part(all)));
      const std::vector<float> a = part(x), b = part(residual);
      reversed.insert(reversed.end(), a.begin(), a.end());
      reversed_residual.insert(reversed_residual.end(), b.begin(), b.end());
    }
    const std::vector<float> backwards = layer.run(reversed, reversed_residual, 3);
    for (size_t row = 0; row < rows; ++row) {
      EXPECT_TRUE(test::same_bits(std::span(backwards).subspan((rows - 1 - row) * hidden, hidden),
                                  std::span(all).subspan(row * hidden, hidden)));
    }
    for (const char* isa : test::kKernelIsas) {
      if (!test::cpu_has(isa)) continue;
      EXPECT_TRUE(test::same_bits(layer.run(x, residual, 2, allowed_cpu_features(isa)), all)) << isa;
    }
  }
}

// A router of zeros makes all probabilities equal, so the first two experts are taken.
TEST(Experts, TakeTheSmallerNumberOfEquals) {
  const size_t hidden = 4;
  ExpertLayer layer(hidden, 3, 5, 2, 9);
  std::fill(layer.router.begin(), layer.router.end(), 0.0f);
  const std::vector<float> x = {0.5f, -1, 2, 0.25f};
  const std::vector<float> y = layer.run(x, {}, 1);
  test::Doubles expected(layer.bias.begin(), layer.bias.end());
  for (const size_t expert : {0, 1}) {
    test::Doubles wide = layer.up[expert].exact(test::widen(x));
    for (double& value : wide) value = 0.5 * value * (1 + std::erf(value / std::sqrt(2.0)));
    const test::Doubles output = layer.down[expert].exact(wide);
    for (size_t i = 0; i < hidden; ++i) expected[i] += output[i] / 5;
  }
  EXPECT_TRUE(test::within(1e-6, y, expected));
}

// A NaN among the router's logits makes the outputs NaN, even if the expert with the NaN is not chosen.
TEST(Experts, ShowANaNOfTheRouter) {
  for (const float limit : {0.0f, 0.25f}) {
    ExpertLayer layer(4, 3, 5, 2, 9, limit);
    layer.router[4 * 4] = std::numeric_limits<float>::quiet_NaN();  // the last expert's weight
    for (const float value : layer.run({0.5f, -1, 2, 0.25f}, {}, 1)) EXPECT_TRUE(std::isnan(value)) << limit;
  }
}

}  // namespace

}  // namespace bert
