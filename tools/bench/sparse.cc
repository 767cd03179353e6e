// Measures how long sparse vectors of 8 sequences of 128 tokens take at BERT-base's shape, from the encoder's last
// hidden states on. That is the head's dense layer and norm, the outputs for 30,522 entries of the vocabulary, and
// pooling. The counter `of_product` is that time divided by the time of the product [tokens, hidden] x [hidden, vocab]
// alone. Both are measured in turn.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/cpu.h"
#include "engine/kernels/gemm/native_gemm.h"
#include "engine/layers/pooled_outputs.h"
#include "tools/bench/ceilings.h"
#include "tools/bench/commands.h"
#include "tools/bench/measure.h"

namespace bert::bench {
namespace {

constexpr size_t kSequences = 8, kLength = 128, kTokens = kSequences * kLength;
constexpr size_t kHidden = 768, kWide = 3072, kVocab = 30522;
constexpr size_t kMostThreads = 2;

std::vector<float> numbers(size_t count, float scale) {
  std::vector<float> values(count);
  uint32_t state = 12345;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = scale * (static_cast<float>(state >> 8) / 8388608.0f - 1.0f);
  }
  return values;
}

void run(benchmark::State& state, OutputPooling pooling, size_t threads) {
  const CpuFeatures features = choose_cpu_features().features;
  const NativeGemm gemm(products_for(features));
  ThreadPool pool(threads);
  Workspace workspace;
  workspace.prepare(
      {.tokens = kTokens, .longest = kLength, .hidden = kHidden, .wide = kWide, .head_dim = 64, .threads = threads},
      gemm);
  ExecutionContext context{kernels_for(features), gemm, pool, workspace};
  static const std::vector<float> dense = numbers(kHidden * kHidden, 0.05f), table = numbers(kVocab * kHidden, 0.05f);
  static const std::vector<float> ones(kHidden, 1.0f), bias(kVocab, -2.5f), x = numbers(kTokens * kHidden, 1.0f);
  const LinearPart output{{table.data(), WeightFormat::kF32, kVocab, kHidden}, bias.data()};
  PredictionHead head;
  head.dense = {Linear{{{{dense.data(), WeightFormat::kF32, kHidden, kHidden}, bias.data()}}, Activation::kGelu}};
  head.norm = Norm{ones.data(), bias.data() + kHidden, 1e-12};
  head.output = Linear{{output}};
  std::vector<int32_t> ids(kTokens);
  std::vector<size_t> starts;
  for (size_t i = 0; i <= kSequences; ++i) starts.push_back(i * kLength);
  const RaggedBatch batch{ids, ids, ids, starts, ids};
  const ConstMatrixView rows{x.data(), kTokens, kHidden, kHidden};
  Matrix product(kTokens, kVocab);
  double sparse_seconds = 0, product_seconds = 0;
  size_t kept = 0;
  for (auto _ : state) {
    std::vector<PooledOutputs> pooled(kSequences);
    const double seconds = time_of(threads, [&] {
      for (PooledOutputs& one : pooled) one = {};
      pool_outputs(head, rows, batch, pooling, kWide, context, pooled);
    });
    kept = pooled[0].indices.size();
    product_seconds += time_of(threads, [&] {
      gemm.multiply({.x = rows, .parts = {&output, 1}, .y = product.view()}, pool, workspace.gemm_scratch());
    });
    sparse_seconds += seconds;
    state.SetIterationTime(seconds);
  }
  state.counters["of_product"] = sparse_seconds / product_seconds;
  state.counters["weights"] = static_cast<double>(kept);
}

void register_poolings() {
  for (const OutputPooling pooling : {OutputPooling{false, 1}, OutputPooling{true, 1}}) {
    for (size_t threads = 1; threads <= std::min(kMostThreads, available_cpus()); ++threads) {
      const std::string title =
          std::string("sparse/bert-base/8x128/") + (pooling.sum ? "sum/" : "max/") + std::to_string(threads);
      benchmark::RegisterBenchmark(title.c_str(), [=](benchmark::State& state) { run(state, pooling, threads); })
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace

int run_sparse(int argc, char** argv) {
  Options options(argc, argv, {});
  register_ceilings();
  register_poolings();
  return run_benchmarks(options);
}

}  // namespace bert::bench
