#include "tools/bench/ceilings.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "engine/base/aligned_buffer.h"
#include "engine/base/cpu.h"
#include "engine/base/cpu_features.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/kernels.h"
#include "tools/bench/commands.h"
#include "tools/bench/measure.h"

namespace bert::bench {
namespace {

constexpr size_t kFmaSteps = 1u << 21;  // about 10 ms
// Each thread reads so many bytes, many times the size of a last-level cache.
constexpr size_t kReadBytes = size_t{192} << 20;
constexpr int kFirstSamples = 15;

// Each loop has enough independent accumulators in registers to hide the latency of a multiply-add on two units, uses
// every result, so that the compiler cannot remove it, and returns the number of multiply-adds of one step.
#if defined(__x86_64__)
[[gnu::target("avx512f"), gnu::noinline]] size_t fma_avx512(float* sink) {
  constexpr size_t kAccumulators = 16;
  const __m512 a = _mm512_set1_ps(0.999f);
  const __m512 b = _mm512_set1_ps(0.001f);
  __m512 accumulators[kAccumulators];
#pragma GCC unroll 16
  for (size_t i = 0; i < kAccumulators; ++i) accumulators[i] = _mm512_set1_ps(static_cast<float>(i));
  for (size_t step = 0; step < kFmaSteps; ++step) {
#pragma GCC unroll 16
    for (size_t i = 0; i < kAccumulators; ++i) accumulators[i] = _mm512_fmadd_ps(accumulators[i], a, b);
  }
#pragma GCC unroll 16
  for (size_t i = 1; i < kAccumulators; ++i) accumulators[0] = _mm512_add_ps(accumulators[0], accumulators[i]);
  _mm512_storeu_ps(sink, accumulators[0]);
  return kAccumulators * 16;
}

[[gnu::target("avx2,fma"), gnu::noinline]] size_t fma_avx2(float* sink) {
  constexpr size_t kAccumulators = 12;
  const __m256 a = _mm256_set1_ps(0.999f);
  const __m256 b = _mm256_set1_ps(0.001f);
  __m256 accumulators[kAccumulators];
#pragma GCC unroll 16
  for (size_t i = 0; i < kAccumulators; ++i) accumulators[i] = _mm256_set1_ps(static_cast<float>(i));
  for (size_t step = 0; step < kFmaSteps; ++step) {
#pragma GCC unroll 16
    for (size_t i = 0; i < kAccumulators; ++i) accumulators[i] = _mm256_fmadd_ps(accumulators[i], a, b);
  }
#pragma GCC unroll 16
  for (size_t i = 1; i < kAccumulators; ++i) accumulators[0] = _mm256_add_ps(accumulators[0], accumulators[i]);
  _mm256_storeu_ps(sink, accumulators[0]);
  return kAccumulators * 8;
}
#endif

// Without flags the compiler makes a vector multiply-add on aarch64, and a library call on old x86.
[[gnu::noinline]] size_t fma_portable(float* sink) {
  constexpr size_t kAccumulators = 64;
  std::array<float, kAccumulators> accumulators{};
  for (size_t step = 0; step < kFmaSteps / 16; ++step) {
    for (float& value : accumulators) value = std::fma(value, 0.999f, 0.001f);
  }
  for (size_t i = 0; i < kAccumulators; ++i) sink[i % 16] += accumulators[i];
  return kAccumulators / 16;
}

// Sums `bytes` bytes as `streams` streams at once, because hardware prefetchers follow several streams faster than one.
using Wide = uint64_t __attribute__((vector_size(64), may_alias));
#if defined(__x86_64__)
[[gnu::target_clones("avx512f", "avx2", "default")]]
#else
[[gnu::noinline]]
#endif
uint64_t
read_streams(const char* data, size_t bytes, size_t streams) {
  const size_t each = bytes / streams / 256 * 256;
  Wide sum[4] = {};
  for (size_t at = 0; at < each; at += 256) {
    for (size_t stream = 0; stream < streams; ++stream) {
      const auto* wide = reinterpret_cast<const Wide*>(data + stream * each + at);
      for (size_t i = 0; i < 4; ++i) {
        __builtin_prefetch(reinterpret_cast<const char*>(wide + i) + 2048, 0, 3);
        sum[i] ^= wide[i];
      }
    }
  }
  const Wide all = sum[0] ^ sum[1] ^ sum[2] ^ sum[3];
  return all[0] ^ all[1] ^ all[2] ^ all[3] ^ all[4] ^ all[5] ^ all[6] ^ all[7];
}

ThreadPool& pool_of(size_t threads) {
  static std::map<size_t, ThreadPool> pools;
  return pools.try_emplace(threads, threads).first->second;
}

using Key = std::pair<std::string, size_t>;
std::map<Key, double>& best_fma() {
  static std::map<Key, double> best;
  return best;
}
std::map<size_t, double>& best_read() {
  static std::map<size_t, double> best;
  return best;
}

void raise(double& best, double sample) { best = std::max(best, sample); }

// Takes one sample of the FLOP/s of float32 multiply-adds (two FLOPs each) with the vectors of "avx512", "avx2" or
// "portable".
double sample_fma(const std::string& isa, size_t threads) {
  size_t a_step = 0;
  const auto loop = [&](size_t, size_t slot) {
    alignas(64) float sink[16] = {};
    size_t count = 0;
#if defined(__x86_64__)
    if (isa == "avx512") count = fma_avx512(sink);
    if (isa == "avx2") count = fma_avx2(sink);
#endif
    if (count == 0) count = fma_portable(sink);
    benchmark::DoNotOptimize(sink[0]);
    if (slot == 0) a_step = count;
  };
  const double seconds = time_of(threads, [&] { pool_of(threads).run(threads, loop); });
  const double sample = 2.0 * static_cast<double>(a_step * kFmaSteps * threads) / seconds;
  raise(best_fma()[{isa, threads}], sample);
  return sample;
}

// Takes one sample of bytes/s.
double sample_read(size_t threads) {
  static std::map<size_t, AlignedBuffer<char>> buffers;
  AlignedBuffer<char>& buffer = buffers[threads];
  if (buffer.size() == 0) {
    buffer = AlignedBuffer<char>(kReadBytes * threads + 4096);
    std::memset(buffer.data(), 1, buffer.size());
  }
  double best = 0;
  for (const size_t streams : {1, 4}) {
    const double seconds = time_of(threads, [&] {
      pool_of(threads).run(threads, [&](size_t task, size_t) {
        benchmark::DoNotOptimize(read_streams(buffer.data() + task * kReadBytes, kReadBytes, streams));
      });
    });
    raise(best, static_cast<double>(kReadBytes * threads) / seconds);
  }
  raise(best_read()[threads], best);
  return best;
}

// Returns the best sample so far. The first call takes some samples.
double fma_ceiling(const std::string& isa, size_t threads) {
  // Portable code is compared with the best that the CPU has.
  const std::string compared = isa == "portable" ? kernels_for(detect_cpu_features()).name : isa;
  if (!best_fma().contains({compared, threads})) {
    for (int i = 0; i < kFirstSamples; ++i) sample_fma(compared, threads);
  }
  return best_fma()[{compared, threads}];
}

double read_ceiling(size_t threads) {
  if (!best_read().contains(threads)) {
    for (int i = 0; i < kFirstSamples; ++i) sample_read(threads);
  }
  return best_read()[threads];
}

}  // namespace

void register_ceilings() {
  for (size_t threads = 1; threads <= std::min(kMostThreads, available_cpus()); ++threads) {
    for (const std::string isa : {"avx2", "avx512"}) {
      if (!detect_cpu_features().contains(allowed_cpu_features(isa))) continue;
      const std::string title = "ceiling/fma/" + isa + "/" + std::to_string(threads);
      benchmark::RegisterBenchmark(title.c_str(),
                                   [=](benchmark::State& state) {
                                     for (auto _ : state) {
                                       const double sample = sample_fma(isa, threads);
                                       state.SetIterationTime(1e9 / sample);
                                       state.counters["GFLOP/s"] = 1e-9 * sample;
                                     }
                                   })
          ->UseManualTime()
          ->Iterations(1)
          ->Repetitions(kFirstSamples);
    }
    const std::string title = "ceiling/read/" + std::to_string(threads);
    benchmark::RegisterBenchmark(title.c_str(),
                                 [=](benchmark::State& state) {
                                   for (auto _ : state) {
                                     const double sample = sample_read(threads);
                                     state.SetIterationTime(1e9 / sample);
                                     state.counters["GB/s"] = 1e-9 * sample;
                                   }
                                 })
        ->UseManualTime()
        ->Iterations(1)
        ->Repetitions(kFirstSamples);
  }
}

// Prints the float32 operations and the bytes read from memory, each in 10^9 a second.
int run_ceilings(int argc, char** argv) {
  const size_t threads = argc == 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
  if (threads == 0) return usage("ceilings", "THREADS");
  std::printf("%.1f %.1f\n", 1e-9 * fma_ceiling("portable", threads), 1e-9 * read_ceiling(threads));
  return 0;
}

void count_work(benchmark::State& state, const Work& work, double seconds) {
  const double flops_time = work.flops / fma_ceiling(work.isa, work.threads);
  const double bytes_time = work.bytes / read_ceiling(work.threads);
  state.counters["GFLOP/s"] = 1e-9 * work.flops / seconds;
  state.counters["of_fma_peak"] = flops_time / seconds;
  state.counters["GB/s"] = 1e-9 * work.bytes / seconds;
  state.counters["of_read_peak"] = bytes_time / seconds;
  state.counters["efficiency"] = std::max(flops_time, bytes_time) / seconds;
}

}  // namespace bert::bench
