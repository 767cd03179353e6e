#include "tools/bench/products.h"
#include "tools/bench/commands.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "bert/error.h"
#include "engine/base/cpu.h"
#include "engine/kernels/gemm/native_gemm.h"
#include "engine/kernels/gemm/openblas_gemm.h"
#include "tools/bench/base_model.h"
#include "tools/bench/ceilings.h"
#include "tools/bench/measure.h"

namespace bert::bench {
namespace {

constexpr size_t kRows[] = {1, 8, 16, 32, 128, 1024};

// A backend is "openblas", or the native kernels of an instruction set.
struct Provider {
  std::string name;
  std::string isa;  // the kernels whose float32 peak is the ceiling of this backend
  std::unique_ptr<Gemm> gemm;
};

std::vector<Provider> make_providers() {
  std::vector<Provider> providers;
  for (const char* isa : {"avx512bf16", "avx512vnni", "avx512", "avxvnni", "avx2", "portable"}) {
    const CpuFeatures features = allowed_cpu_features(isa);
    if (!detect_cpu_features().contains(features)) continue;
    providers.push_back({isa, kernels_for(features).name, std::make_unique<NativeGemm>(products_for(features))});
  }
  try {
    const KernelTable& kernels = kernels_for(detect_cpu_features());
    providers.push_back({"openblas", kernels.name, std::make_unique<OpenBlasGemm>(kernels)});
  } catch (const Error& error) {
    std::fprintf(stderr, "SKIPPED openblas: %s\n", error.what());
  }
  return providers;
}

struct Type {
  const char* name;
  WeightFormat format;
  ProductArithmetic arithmetic = ProductArithmetic::kOfFormat;
};
// The type "bfloat16" means weights in bf16 that are multiplied in bfloat16 arithmetic.
constexpr Type kTypes[] = {{"f32", WeightFormat::kF32},
                           {"f16", WeightFormat::kF16},
                           {"bf16", WeightFormat::kBF16},
                           {"i8", WeightFormat::kI8},
                           {"bfloat16", WeightFormat::kBF16, ProductArithmetic::kBFloat16}};

// Returns whether the provider has kernels of its own for the type: VNNI has instructions for 8-bit weights only,
// AVX512_BF16 for bfloat16 arithmetic only, and OpenBLAS has no product of these.
bool multiplies(const Provider& provider, const Type& type) {
  if (type.format == WeightFormat::kI8) return provider.name != "openblas" && provider.name != "avx512bf16";
  if (provider.name == provider.isa) return true;
  return provider.name == (type.arithmetic == ProductArithmetic::kBFloat16 ? "avx512bf16" : "openblas");
}

// Makes the weights once for each type and provider, because only the provider that made kept panels can read them.
const LayerWeights& weights_of(const Type& type, const std::string& provider) {
  static std::map<std::pair<std::string, std::string>, LayerWeights> made;
  return made.try_emplace({type.name, provider}, type.format, type.arithmetic).first->second;
}

// The operands of a multiplication, except its weights.
class Bench {
 public:
  Bench(const Gemm& gemm, size_t rows, size_t threads)
      : gemm_(gemm), pool_(threads), x_(rows, kIntermediate), y_(rows, kIntermediate) {
    for (size_t i = 0; i < rows * kIntermediate; ++i)
      x_.view().data[i] = static_cast<float>(i * 7919 % 1024) / 512.0f - 1.0f;
    shared_ = AlignedBuffer<float>(gemm.shared_scratch_floats(rows, kIntermediate));
    for (size_t thread = 0; thread < threads; ++thread) {
      scratch_.emplace_back(gemm.scratch_floats(kIntermediate));
      views_.push_back({scratch_.back().data(), scratch_.back().size()});
    }
  }

  void multiply(const LayerWeights& weights, size_t layer, size_t product, bool keeps_panels) {
    const std::vector<LinearPart> parts = weights.parts(layer, product, keeps_panels);
    const ProductShape& shape = kProducts[product];
    gemm_.multiply({.x = {x_.view().data, x_.rows(), shape.in, shape.in},
                    .parts = parts,
                    .y = {y_.view().data, y_.rows(), shape.outs, shape.outs}},
                   pool_, {views_, {shared_.data(), shared_.size()}});
  }

 private:
  const Gemm& gemm_;
  ThreadPool pool_;
  Matrix x_;
  Matrix y_;
  AlignedBuffer<float> shared_;
  std::vector<AlignedBuffer<float>> scratch_;
  std::vector<ScratchView> views_;
};

// One benchmark. If `product` is empty, it measures all products of a forward pass.
struct Case {
  const Provider* provider;
  Type type;
  size_t rows;
  size_t threads;
  std::optional<size_t> product;
  bool keeps_panels = false;
};

void run(benchmark::State& state, const Case& c) {
  const LayerWeights& weights = weights_of(c.type, c.keeps_panels ? c.provider->name : "");
  Bench bench(*c.provider->gemm, c.rows, c.threads);
  Work work{.isa = c.provider->isa, .threads = c.threads};
  for (size_t product = 0; product < std::size(kProducts); ++product) {
    if (c.product && product != *c.product) continue;
    const double layers = c.product ? 1 : kLayers;
    work.flops += layers * 2.0 * static_cast<double>(c.rows * kProducts[product].outs * kProducts[product].in);
    work.bytes += layers * static_cast<double>(weights.bytes(product));
  }
  // A single product is timed over all layers, which also hides the cost of reading the clock.
  const double calls = c.product ? kLayers : 1;
  double seconds = 0;
  for (auto _ : state) {
    const double round = time_of(c.threads, [&] {
      for (size_t layer = 0; layer < kLayers; ++layer) {
        for (size_t product = 0; product < std::size(kProducts); ++product) {
          if (!c.product || product == *c.product) bench.multiply(weights, layer, product, c.keeps_panels);
        }
      }
    });
    state.SetIterationTime(round / calls);
    seconds += round / calls;
  }
  count_work(state, work, seconds / static_cast<double>(state.iterations()));
}

void add(const Case& c) {
  std::string title;
  if (c.product) {
    const ProductShape& shape = kProducts[*c.product];
    title = "gemm/" + std::to_string(c.rows) + "x" + std::to_string(shape.outs) + "x" + std::to_string(shape.in);
  } else {
    title = "gemms/bert-base/" + std::to_string(c.rows);
  }
  title += std::string("/") + c.type.name + "/" + c.provider->name + (c.keeps_panels ? "-packed" : "") + "/" +
           std::to_string(c.threads);
  benchmark::RegisterBenchmark(title.c_str(), [c](benchmark::State& state) { run(state, c); })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

// Created once; benchmarks point to it.
const std::vector<Provider>& providers() {
  static const std::vector<Provider> all = make_providers();
  return all;
}

void register_products() {
  for (const Type& type : kTypes) {
    for (const Provider& provider : providers()) {
      for (size_t threads = 1; threads <= std::min(kMostThreads, available_cpus()); ++threads) {
        for (const size_t rows : kRows) {
          // The portable kernels are a specification and not meant to be fast, so one figure is enough.
          const bool portable = provider.name == "portable" && providers().front().name != "portable";
          if (portable && (rows != 8 || threads != 1)) continue;
          if (!multiplies(provider, type)) continue;
          // 16-bit weights are widened for the same products. Their size matters only with few rows, and only native
          // kernels read them without a widened copy.
          const bool narrow = element_bytes(type.format) == 2 && type.arithmetic == ProductArithmetic::kOfFormat;
          if (narrow && (provider.name == "openblas" || (rows != 8 && rows != 1024))) continue;
          for (size_t product = 0; product < std::size(kProducts); ++product) {
            if (!portable || product == 1) add({&provider, type, rows, threads, product});
          }
          if (portable || narrow) continue;
          add({&provider, type, rows, threads, std::nullopt});
          if (provider.name != "openblas") add({&provider, type, rows, threads, std::nullopt, true});
        }
      }
    }
  }
}

}  // namespace

void register_openblas_products(size_t rows, size_t threads) {
  for (const Provider& provider : providers()) {
    if (provider.name == "openblas") add({&provider, kTypes[0], rows, threads, std::nullopt});
  }
}

int run_gemm(int argc, char** argv) {
  Options options(argc, argv, {});
  register_ceilings();
  register_products();
  return run_benchmarks(options);
}

}  // namespace bert::bench
