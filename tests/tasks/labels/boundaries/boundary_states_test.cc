#include "tasks/labels/boundaries/boundary_states.h"

#include <gtest/gtest.h>

#include "tests/support/compare.h"
#include "tests/support/isa.h"
#include "tests/tasks/labels/boundaries/boundary_tensors.h"

namespace bert {
namespace {

const std::string kStatesOf = "boundary_head.boundary_encoder.";

struct StatesCase {
  test::BoundaryTensors tensors;
  BoundaryStates states;

  explicit StatesCase(const BoundarySettings& settings) : tensors(with_states(settings)), states(read(tensors)) {}

  static test::BoundaryTensors with_states(const BoundarySettings& settings) {
    test::BoundaryTensors tensors(settings);
    tensors.add_states();
    return tensors;
  }
  static BoundaryStates read(test::BoundaryTensors& tensors) {
    return tensors.read(
        [&](WeightReader& weights) { return BoundaryStates(weights, tensors.settings, test::kEncoderWidth); });
  }

  std::vector<float> run(size_t threads, CpuFeatures features) const {
    test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 4, .threads = threads}, features);
    const ProductRunner products(setup.context(), states.widest_input());
    return test::get(states.forward(tensors.word_view(), products).view());
  }

  test::DoubleRows attended(const std::string& name, const test::DoubleRows& x) const {
    const size_t width = tensors.settings.width, heads = tensors.settings.attention_heads, dim = width / heads;
    const size_t window = tensors.settings.attention_window;
    test::DoubleRows qkv, y;
    for (const test::Doubles& row : x) {
      qkv.push_back(tensors.dense(name + "qkv_projection", tensors.norm(name + "norm", row)));
    }
    for (size_t query = 0; query < x.size(); ++query) {
      test::Doubles context(width);
      for (size_t head = 0; head < heads; ++head) {
        double total = 0;
        test::Doubles sums(dim);
        for (size_t key = 0; key < x.size(); ++key) {
          if (window > 0 && (query > key ? query - key : key - query) > window) continue;
          double score = 0;
          for (size_t i = 0; i < dim; ++i) score += qkv[query][head * dim + i] * qkv[key][width + head * dim + i];
          const double share = std::exp(score / std::sqrt(static_cast<double>(dim)));
          total += share;
          for (size_t i = 0; i < dim; ++i) sums[i] += share * qkv[key][2 * width + head * dim + i];
        }
        for (size_t i = 0; i < dim; ++i) context[head * dim + i] = sums[i] / total;
      }
      test::Doubles sum = tensors.dense(name + "output_projection", context);
      for (size_t i = 0; i < width; ++i) sum[i] += x[query][i];
      y.push_back(sum);
    }
    return y;
  }

  test::Doubles exact() const {
    const test::DoubleRows words = tensors.word_rows();
    test::DoubleRows rows;
    for (size_t boundary = 0; boundary <= words.size(); ++boundary) {
      const test::Doubles left = boundary == 0 ? test::widen(tensors.before) : words[boundary - 1];
      const test::Doubles right = boundary == words.size() ? test::widen(tensors.after) : words[boundary];
      const test::Doubles both = test::joined(tensors.dense(kStatesOf + "left_projection", left),
                                              tensors.dense(kStatesOf + "right_projection", right));
      rows.push_back(tensors.norm(kStatesOf + "layer_norm", tensors.dense(kStatesOf + "output_projection", both)));
    }
    for (size_t i = 0; i < tensors.settings.attention_layers; ++i) {
      rows = attended(kStatesOf + "attention_blocks." + std::to_string(i) + ".", rows);
    }
    for (size_t i = 0; i < tensors.settings.refinement_layers; ++i) {
      const std::string name = kStatesOf + "refinement_blocks." + std::to_string(i) + ".";
      for (test::Doubles& row : rows) {
        const test::Doubles inner = tensors.dense(name + "input_projection", tensors.norm(name + "norm", row));
        test::Doubles gated(inner.size() / 2);
        for (size_t c = 0; c < gated.size(); ++c) {
          const double gate = inner[gated.size() + c];
          gated[c] = inner[c] * gate * test::sigmoid_of(gate);
        }
        const test::Doubles update = tensors.dense(name + "output_projection", gated);
        for (size_t c = 0; c < row.size(); ++c) row[c] += update[c];
      }
    }
    test::Doubles all;
    for (const test::Doubles& row : rows) all = test::joined(all, row);
    return all;
  }
};

TEST(BoundaryStates, AreTheFormulas) {
  for (const size_t layers : {0, 2}) {
    BoundarySettings settings = test::small_boundaries();
    settings.attention_layers = layers;
    settings.attention_heads = 2;
    settings.attention_window = layers;
    settings.refinement_layers = layers;
    const StatesCase states(settings);
    EXPECT_TRUE(test::within(2e-5, states.run(2, detect_cpu_features()), states.exact())) << layers;
  }
}

TEST(BoundaryStates, HaveTheSameBitsOnAnyThreadsAndCpu) {
  BoundarySettings settings = test::small_boundaries();
  settings.attention_layers = 1;
  const StatesCase states(settings);
  const std::vector<float> plain = states.run(1, CpuFeatures{});
  for (const char* isa : test::kKernelIsas) {
    if (!test::cpu_has(isa)) continue;
    EXPECT_TRUE(test::same_bits(states.run(3, allowed_cpu_features(isa)), plain)) << isa;
  }
}

}  // namespace
}  // namespace bert
