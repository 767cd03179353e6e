#include "tasks/labels/gliner2/count_queries.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/compare.h"
#include "tests/support/isa.h"
#include "tests/tasks/labels/label_tensors.h"

namespace bert {
namespace {

constexpr size_t kQueryWidth = 6, kQueries = 5, kInnerWidth = 128, kInnerHeads = 4;

test::Doubles activated(test::Doubles x, double (*activation)(double)) {
  for (double& value : x) value = activation(value);
  return x;
}
double relu_one(double x) { return std::max(x, 0.0); }
double gelu_one(double x) { return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0))); }
double sigmoid_one(double x) { return 1 / (1 + std::exp(-x)); }

test::Doubles beside_of(test::Doubles a, const test::Doubles& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct QueryCase {
  CountLayer layer;
  test::LabelTensors tensors;
  std::vector<float> labels, counts;
  std::vector<float> w1, b1, w2, b2;  // the experts' weights and biases
  std::map<std::string, test::Dense> attention;
  std::map<std::string, test::NormWeights> norms;
  CountQueries queries;

  explicit QueryCase(CountLayer layer_) : layer(layer_), queries(read()) {}

  CountQueries read() {
    labels = tensors.random().numbers(kQueries * kQueryWidth);
    counts = tensors.random().numbers(20 * kQueryWidth);
    add("count_embed.pos_embedding.weight", {20, kQueryWidth}, counts);
    for (const char* name : {"ih", "hh"}) {
      const test::Dense& gates =
          attention.emplace(name, test::Dense(3 * kQueryWidth, kQueryWidth, tensors.random())).first->second;
      add(std::string("count_embed.gru.weight_") + name + "_l0", {3 * kQueryWidth, kQueryWidth}, gates.weight);
      add(std::string("count_embed.gru.bias_") + name + "_l0", {3 * kQueryWidth}, gates.bias);
    }
    if (layer == CountLayer::kTwoLayers) {
      tensors.add("count_embed.projector.0", 4 * kQueryWidth, 2 * kQueryWidth);
      tensors.add("count_embed.projector.2", kQueryWidth, 4 * kQueryWidth);
    } else if (layer == CountLayer::kExperts) {
      add_experts();
    } else {
      add_transformer();
    }
    return tensors.read([&](WeightReader& weights) { return CountQueries(weights, layer, kQueryWidth); });
  }
  void add(const std::string& name, const std::vector<size_t>& shape, const std::vector<float>& values) {
    tensors.add({name, "F32", shape, test::bytes_of(values)});
  }
  void add_experts() {
    tensors.add("count_embed.router.0", kQueryWidth, kQueryWidth);
    tensors.add("count_embed.router.2", 4, kQueryWidth);
    w1 = tensors.random().numbers(4 * kQueryWidth * 2 * kQueryWidth, 0.4f);
    w2 = tensors.random().numbers(4 * kQueryWidth * 2 * kQueryWidth, 0.3f);
    b1 = tensors.random().numbers(4 * 2 * kQueryWidth, 0.1f);
    b2 = tensors.random().numbers(4 * kQueryWidth, 0.1f);
    add("count_embed.w1", {4, kQueryWidth, 2 * kQueryWidth}, w1);
    add("count_embed.w2", {4, 2 * kQueryWidth, kQueryWidth}, w2);
    add("count_embed.b1", {4, 2 * kQueryWidth}, b1);
    add("count_embed.b2", {4, kQueryWidth}, b2);
  }
  void add_transformer() {
    const std::string all = "count_embed.transformer.";
    tensors.add(all + "in_projector", kInnerWidth, kQueryWidth);
    for (const std::string index : {"0", "1"}) {
      const std::string name = all + "transformer.layers." + index + ".";
      const test::Dense& qkv =
          attention.emplace(name, test::Dense(3 * kInnerWidth, kInnerWidth, tensors.random())).first->second;
      add(name + "self_attn.in_proj_weight", {3 * kInnerWidth, kInnerWidth}, qkv.weight);
      add(name + "self_attn.in_proj_bias", {3 * kInnerWidth}, qkv.bias);
      tensors.add(name + "self_attn.out_proj", kInnerWidth, kInnerWidth);
      tensors.add(name + "linear1", 2 * kInnerWidth, kInnerWidth);
      tensors.add(name + "linear2", kInnerWidth, 2 * kInnerWidth);
      for (const char* norm : {"norm1", "norm2"}) {
        const test::NormWeights& weights =
            norms.emplace(name + norm, test::NormWeights(kInnerWidth, tensors.random())).first->second;
        add(name + norm + ".weight", {kInnerWidth}, weights.weight);
        add(name + norm + ".bias", {kInnerWidth}, weights.bias);
      }
    }
    tensors.add(all + "out_projector.0", kQueryWidth, kInnerWidth + kQueryWidth);
    tensors.add(all + "out_projector.2", kQueryWidth, kQueryWidth);
    tensors.add(all + "out_projector.4", kQueryWidth, kQueryWidth);
  }

  std::vector<float> run(size_t threads, CpuFeatures features) const {
    test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 4, .threads = threads}, features);
    const ProductRunner products(setup.context(), queries.widest_input());
    return test::get(queries.forward({labels.data(), kQueries, kQueryWidth, kQueryWidth}, products).view());
  }

  test::Doubles label(size_t index) const {
    const auto begin = labels.begin() + static_cast<std::ptrdiff_t>(index * kQueryWidth);
    return {begin, begin + kQueryWidth};
  }
  // Returns the first state of the recurrent unit, whose input is the vector for the count 0.
  test::Doubles state(size_t index) const {
    const test::Doubles x(counts.begin(), counts.begin() + kQueryWidth), before = label(index);
    const test::Doubles a = attention.at("ih").exact(x), b = attention.at("hh").exact(before);
    test::Doubles y(kQueryWidth);
    for (size_t i = 0; i < kQueryWidth; ++i) {
      const size_t z = kQueryWidth + i, n = 2 * kQueryWidth + i;
      const double update = sigmoid_one(a[z] + b[z]);
      y[i] = (1 - update) * std::tanh(a[n] + sigmoid_one(a[i] + b[i]) * b[n]) + update * before[i];
    }
    return y;
  }
  test::Doubles exact_experts(const test::Doubles& state) const {
    const test::Doubles logits =
        tensors["count_embed.router.2"].exact(activated(tensors["count_embed.router.0"].exact(state), gelu_one));
    double total = 0;
    for (const double logit : logits) total += std::exp(logit);
    test::Doubles y(kQueryWidth);
    constexpr size_t kInner = 2 * kQueryWidth;
    for (size_t expert = 0; expert < 4; ++expert) {
      for (size_t out = 0; out < kQueryWidth; ++out) {
        double sum = b2[expert * kQueryWidth + out];
        for (size_t i = 0; i < kInner; ++i) {
          double inner = b1[expert * kInner + i];
          for (size_t in = 0; in < kQueryWidth; ++in) {
            inner += state[in] * static_cast<double>(w1[(expert * kQueryWidth + in) * kInner + i]);
          }
          sum += gelu_one(inner) * static_cast<double>(w2[(expert * kInner + i) * kQueryWidth + out]);
        }
        y[out] += std::exp(logits[expert]) / total * sum;
      }
    }
    return y;
  }
  std::vector<test::Doubles> exact_layer(const std::string& name, const std::vector<test::Doubles>& x) const {
    constexpr size_t kDim = kInnerWidth / kInnerHeads;
    std::vector<test::Doubles> qkv, y;
    for (const test::Doubles& row : x) qkv.push_back(attention.at(name).exact(row));
    for (size_t query = 0; query < x.size(); ++query) {
      test::Doubles context(kInnerWidth);
      for (size_t head = 0; head < kInnerHeads; ++head) {
        double total = 0;
        test::Doubles sums(kDim);
        for (const test::Doubles& key : qkv) {
          double score = 0;
          for (size_t i = 0; i < kDim; ++i) score += qkv[query][head * kDim + i] * key[kInnerWidth + head * kDim + i];
          const double share = std::exp(score / std::sqrt(double{kDim}));
          total += share;
          for (size_t i = 0; i < kDim; ++i) sums[i] += share * key[2 * kInnerWidth + head * kDim + i];
        }
        for (size_t i = 0; i < kDim; ++i) context[head * kDim + i] = sums[i] / total;
      }
      test::Doubles sum = tensors[name + "self_attn.out_proj"].exact(context);
      for (size_t i = 0; i < kInnerWidth; ++i) sum[i] += x[query][i];
      sum = norms.at(name + "norm1").exact(sum, 1e-5);
      const test::Doubles more =
          tensors[name + "linear2"].exact(activated(tensors[name + "linear1"].exact(sum), relu_one));
      for (size_t i = 0; i < kInnerWidth; ++i) sum[i] += more[i];
      y.push_back(norms.at(name + "norm2").exact(sum, 1e-5));
    }
    return y;
  }

  test::Doubles exact() const {
    test::Doubles all;
    if (layer != CountLayer::kTransformer) {
      for (size_t i = 0; i < kQueries; ++i) {
        if (layer == CountLayer::kExperts) {
          all = beside_of(all, exact_experts(state(i)));
          continue;
        }
        const test::Doubles both = beside_of(state(i), label(i));
        all = beside_of(all, tensors["count_embed.projector.2"].exact(
                                 activated(tensors["count_embed.projector.0"].exact(both), relu_one)));
      }
      return all;
    }
    const std::string name = "count_embed.transformer.";
    std::vector<test::Doubles> input, x;
    for (size_t i = 0; i < kQueries; ++i) {
      test::Doubles sum = state(i);
      for (size_t c = 0; c < kQueryWidth; ++c) sum[c] += label(i)[c];
      input.push_back(sum);
      x.push_back(tensors[name + "in_projector"].exact(sum));
    }
    for (const std::string index : {"0", "1"}) x = exact_layer(name + "transformer.layers." + index + ".", x);
    for (size_t i = 0; i < kQueries; ++i) {
      const test::Doubles one = activated(tensors[name + "out_projector.0"].exact(beside_of(x[i], input[i])), relu_one);
      const test::Doubles two = activated(tensors[name + "out_projector.2"].exact(one), relu_one);
      all = beside_of(all, tensors[name + "out_projector.4"].exact(two));
    }
    return all;
  }
};

class CountQueriesOf : public ::testing::TestWithParam<CountLayer> {};

TEST_P(CountQueriesOf, AreTheFormulas) {
  const QueryCase queries(GetParam());
  EXPECT_TRUE(test::within(5e-6, queries.run(2, detect_cpu_features()), queries.exact()));
}

TEST_P(CountQueriesOf, HaveTheSameBitsOnAnyThreadsAndCpu) {
  const QueryCase queries(GetParam());
  const std::vector<float> plain = queries.run(1, CpuFeatures{});
  for (const char* isa : test::kKernelIsas) {
    if (!test::cpu_has(isa)) continue;
    EXPECT_TRUE(test::same_bits(queries.run(3, allowed_cpu_features(isa)), plain)) << isa;
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, CountQueriesOf,
                         ::testing::Values(CountLayer::kTwoLayers, CountLayer::kExperts, CountLayer::kTransformer));

}  // namespace
}  // namespace bert
