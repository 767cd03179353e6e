// Measures the whole encoder on a random model of BERT-base's shape, from ids to token vectors and pooled output:
// encode/bert-base/<sequences>x<length>/<weights>/<provider>/<threads>, and encode/bert-base/mix/… for 256 texts of
// mixed lengths. For the weights "bfloat16", weights stored as bf16 are computed in bfloat16.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

#include "bert/model.h"
#include "engine/base/cpu.h"
#include "engine/kernels/kernels.h"
#include "tools/bench/base_model.h"
#include "tools/bench/ceilings.h"
#include "tools/bench/commands.h"
#include "tools/bench/measure.h"
#include "tools/bench/products.h"

namespace bert::bench {
namespace {

// The maximum number of tokens of a batch, for many texts of mixed lengths.
constexpr size_t kMixBatchTokens = 2048;

using Texts = std::vector<std::vector<int32_t>>;

struct Provider {
  std::string name;
  std::string isa;  // that of everything but products of 8-bit weights and products in bfloat16
  GemmProvider gemm;
  bool packs_weights = false;

  std::string title() const { return name + (packs_weights ? "-packed" : ""); }
};

std::vector<Provider> providers() {
  std::vector<Provider> all;
  for (const char* isa : {"avx512bf16", "avx512vnni", "avx512", "avxvnni", "avx2"}) {
    const CpuFeatures features = allowed_cpu_features(isa);
    if (!detect_cpu_features().contains(features)) continue;
    all.push_back({isa, kernels_for(features).name, GemmProvider::kNative});
    all.push_back({isa, kernels_for(features).name, GemmProvider::kNative, true});
  }
  all.push_back({"openblas", kernels_for(detect_cpu_features()).name, GemmProvider::kOpenBlas});
  return all;
}

struct Case {
  Provider provider;
  std::string type;
  WeightFormat format;
  size_t threads;

  bool is_bfloat16() const { return type == "bfloat16"; }
  // Returns whether the provider has kernels of its own for the weights: VNNI has instructions for 8-bit weights only,
  // AVX512_BF16 for bfloat16 only, and OpenBLAS has no product of these.
  bool is_measured() const {
    const bool is_own = provider.name == provider.isa;
    if (format == WeightFormat::kI8) return provider.gemm == GemmProvider::kNative && provider.name != "avx512bf16";
    if (is_bfloat16()) return is_own || provider.name == "avx512bf16";
    return is_own || provider.gemm == GemmProvider::kOpenBlas;
  }
};

// Loads each model once for all benchmarks. Sets the environment variable to lower the instruction set, as a user
// would.
const Model& model_of(const Case& c) {
  static std::map<std::tuple<std::string, std::string, size_t>, Model> loaded;
  const auto key = std::make_tuple(c.provider.title(), c.type, c.threads);
  const auto found = loaded.find(key);
  if (found != loaded.end()) return found->second;
  LoadOptions options;
  options.threads = c.threads;
  options.gemm = c.provider.gemm;
  if (c.is_bfloat16()) options.precision = Precision::kBFloat16;
  options.packing = c.provider.packs_weights ? Packing::kAlways : Packing::kNever;
  const std::string& isa = c.provider.gemm == GemmProvider::kNative ? c.provider.name : c.provider.isa;
  setenv("BERT_INFER_ISA", isa.c_str(), 1);
  Model model = Model::load(base_model_directory(c.format).string(), options);
  unsetenv("BERT_INFER_ISA");
  return loaded.emplace(key, std::move(model)).first->second;
}

// Batches of many texts in order of length, so that results of one size are together.
std::vector<Texts> batches_of_mix() {
  Texts texts = random_mix();
  std::sort(texts.begin(), texts.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  std::vector<Texts> batches(1);
  size_t tokens = 0;
  for (auto& ids : texts) {
    if (tokens + ids.size() > kMixBatchTokens) {
      batches.emplace_back();
      tokens = 0;
    }
    tokens += ids.size();
    batches.back().push_back(std::move(ids));
  }
  return batches;
}

void run(benchmark::State& state, const Case& c, const std::vector<Texts>& batches) {
  const Model& model = model_of(c);
  Work work{.isa = c.provider.isa, .threads = c.threads};
  size_t tokens = 0;
  std::vector<std::vector<TokenSequence>> views;
  for (const Texts& batch : batches) {
    views.push_back(sequences_of(batch));
    std::vector<size_t> lengths;
    for (const auto& ids : batch) lengths.push_back(ids.size());
    const ForwardCost cost = model.cost(lengths);
    work.flops += cost.flops;
    work.bytes += static_cast<double>(cost.weight_bytes);
    tokens = std::accumulate(lengths.begin(), lengths.end(), tokens);
  }
  const auto pass = [&] {
    for (const auto& view : views) benchmark::DoNotOptimize(model.encode(view));
  };
  pass();  // creates workspaces and brings the weights into the page cache
  double seconds = 0;
  for (auto _ : state) {
    const double once = time_of(c.threads, pass);
    state.SetIterationTime(once);
    seconds += once;
  }
  seconds /= static_cast<double>(state.iterations());
  count_work(state, work, seconds);
  state.counters["tokens/s"] = static_cast<double>(tokens) / seconds;
  state.counters["disturbed"] = take_disturbed_share();
}

void add(const std::string& batch, const Case& c, std::vector<Texts> batches, int repetitions) {
  const std::string title =
      "encode/bert-base/" + batch + "/" + c.type + "/" + c.provider.title() + "/" + std::to_string(c.threads);
  auto* registered = benchmark::RegisterBenchmark(
      title.c_str(), [c, batches = std::move(batches)](benchmark::State& state) { run(state, c, batches); });
  registered->UseManualTime()->Unit(benchmark::kMillisecond);
  if (repetitions > 0) registered->Repetitions(repetitions)->Iterations(1);
}

void register_encoders() {
  for (const Provider& provider : providers()) {
    for (size_t threads = 1; threads <= std::min(kMostThreads, available_cpus()); ++threads) {
      for (const auto& [type, format] :
           {std::pair("f32", WeightFormat::kF32), std::pair("bf16", WeightFormat::kBF16),
            std::pair("bfloat16", WeightFormat::kBF16), std::pair("int8", WeightFormat::kI8)}) {
        const Case c{provider, type, format, threads};
        if (!c.is_measured()) continue;
        // 16-bit weights have the same products with fewer bytes, so only sizes that memory limits are measured.
        const bool all = format != WeightFormat::kBF16 || c.is_bfloat16();
        for (const BatchShape& shape : kBatches) {
          const bool few = shape.name() == "1x8" || shape.name() == "1x128" || shape.name() == "8x128";
          if (all ? few || threads > 1 : shape.tokens() <= 8) add(shape.name(), c, {random_batch(shape)}, 0);
        }
        if (all && threads > 1 && provider.isa == kernels_for(detect_cpu_features()).name)
          add("mix", c, batches_of_mix(), 3);
      }
    }
  }
}

}  // namespace

int run_encode(int argc, char** argv) {
  Options options(argc, argv, {});
  register_ceilings();
  register_encoders();
  // OpenBLAS's speed is measured in this program too, because the speed of the machine changes within minutes.
  if (available_cpus() >= 2) register_openblas_products(1024, 2);
  return run_benchmarks(options);
}

}  // namespace bert::bench
